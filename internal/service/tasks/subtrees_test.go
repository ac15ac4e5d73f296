package tasks_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCompletedSubtree: no list shows a child without the parent that it names.
func TestCompletedSubtree(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		a := c.insert("@default", `{"title":"a"}`, "")
		b := c.insert("@default", `{"title":"b"}`, "?parent="+text(a, "id"))
		c.insert("@default", `{"title":"c"}`, "?parent="+text(b, "id"))
		path := "/lists/@default/tasks/"
		c.ok(200, "PATCH", path+text(a, "id"), `{"status":"completed"}`)
		child := c.ok(200, "GET", path+text(b, "id"), "")
		if text(child, "status") != "completed" || child["etag"] == b["etag"] || text(child, "completed") == "" {
			t.Errorf("child of a completed task = %v", child)
		}
		if got := c.titles("@default", "?showCompleted=false"); len(got) != 0 {
			t.Errorf("open tasks = %v, want none", got)
		}
		c.ok(204, "POST", "/lists/@default/clear", "")
		if got := c.titles("@default", ""); len(got) != 0 {
			t.Errorf("tasks after clear = %v, want none", got)
		}
		c.ok(200, "PATCH", path+text(a, "id"), `{"status":"needsAction"}`)
		if diff := cmp.Diff([]string{"a"}, c.titles("@default", "")); diff != "" {
			t.Errorf("reopened (-want +got):\n%s", diff)
		}
	})
}

// TestRestoredAndCompleted: a task that is brought back and completed by one change completes what comes back below it.
func TestRestoredAndCompleted(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		a := c.insert("@default", `{"title":"a"}`, "")
		b := c.insert("@default", `{"title":"b"}`, "?parent="+text(a, "id"))
		path := "/lists/@default/tasks/"
		c.ok(204, "DELETE", path+text(a, "id"), "")
		c.ok(200, "PATCH", path+text(a, "id"), `{"deleted":false,"status":"completed"}`)
		if child := c.ok(200, "GET", path+text(b, "id"), ""); text(child, "status") != "completed" {
			t.Errorf("child of a task that was brought back completed = %v", child)
		}
	})
}

// TestClearedParents: what is shown has no parent that clear hid, whichever way it came
// to be open below a completed task.
func TestClearedParents(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		path := "/lists/@default/tasks/"
		c.insert("@default", `{"title":"other"}`, "")
		a := c.insert("@default", `{"title":"a"}`, "")
		under := "?parent=" + text(a, "id")
		reopened := c.insert("@default", `{"title":"reopened"}`, under)
		done := c.insert("@default", `{"title":"done"}`, under+"&previous="+text(reopened, "id"))
		c.insert("@default", `{"title":"below"}`, "?parent="+text(reopened, "id"))
		moved := c.insert("@default", `{"title":"moved"}`, "")
		c.ok(200, "PATCH", path+text(a, "id"), `{"status":"completed"}`)
		c.ok(200, "PATCH", path+text(reopened, "id"), `{"status":"needsAction"}`)
		c.insert("@default", `{"title":"inserted"}`, under+"&previous="+text(reopened, "id"))
		c.ok(200, "POST", path+text(moved, "id")+"/move"+under+"&previous="+text(done, "id"), "")

		c.ok(204, "POST", "/lists/@default/clear", "")
		if diff := cmp.Diff([]string{"reopened", "inserted", "moved", "other"}, c.titles("@default", "")); diff != "" {
			t.Errorf("after clear (-want +got):\n%s", diff)
		}
		if got := c.ok(200, "GET", path+text(reopened, "id"), ""); got["parent"] != nil || got["etag"] == reopened["etag"] {
			t.Errorf("child of a cleared task = %v, want it at the top level", got)
		}
		back := c.ok(200, "PATCH", path+text(done, "id"), `{"status":"needsAction"}`)
		if back["parent"] != nil || back["hidden"] != nil {
			t.Errorf("reopened below a cleared task = %v, want it at the top level", back)
		}
		want := []string{"done", "reopened", "inserted", "moved", "other"}
		if diff := cmp.Diff(want, c.titles("@default", "")); diff != "" {
			t.Errorf("after reopening (-want +got):\n%s", diff)
		}
	})
}

// TestUndelete: a deleted task comes back with what was deleted together with it.
func TestUndelete(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		a := c.insert("@default", `{"title":"a"}`, "")
		b := c.insert("@default", `{"title":"b"}`, "?parent="+text(a, "id"))
		c.insert("@default", `{"title":"c"}`, "?parent="+text(b, "id"))
		earlier := c.insert("@default", `{"title":"earlier"}`, "?parent="+text(a, "id"))
		path := "/lists/@default/tasks/"
		c.ok(204, "DELETE", path+text(earlier, "id"), "")
		c.h.Clock.Advance(time.Minute)
		c.ok(204, "DELETE", path+text(a, "id"), "")
		back := c.ok(200, "PATCH", path+text(a, "id"), `{"deleted":false,"title":"back"}`)
		if back["deleted"] != nil || text(back, "title") != "back" {
			t.Errorf("brought back = %v", back)
		}
		got := c.titles("@default", "")
		slices.Sort(got)
		if diff := cmp.Diff([]string{"b", "back", "c"}, got); diff != "" {
			t.Errorf("tasks (-want +got):\n%s", diff)
		}

		c.h.Clock.Advance(time.Minute)
		c.ok(204, "DELETE", path+text(a, "id"), "")
		alone := c.ok(200, "PUT", path+text(b, "id"), `{"deleted":false,"title":"b"}`)
		if alone["parent"] != nil {
			t.Errorf("child of a deleted task = %v, want it at the top level", alone)
		}
		if diff := cmp.Diff([]string{"b", "c"}, c.titles("@default", "")); diff != "" {
			t.Errorf("tasks (-want +got):\n%s", diff)
		}
	})
}

// TestUndeleteAfterAMove: what was deleted by itself stays deleted when what was deleted later comes back, also after
// both were taken to another list.
func TestUndeleteAfterAMove(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		other := text(c.ok(200, "POST", "/users/@me/lists", `{"title":"other"}`), "id")
		a := c.insert("@default", `{"title":"a"}`, "")
		b := c.insert("@default", `{"title":"b"}`, "?parent="+text(a, "id"))
		first := c.insert("@default", `{"title":"first"}`, "?parent="+text(b, "id"))
		path := "/lists/@default/tasks/"
		c.ok(204, "DELETE", path+text(first, "id"), "")
		c.h.Clock.Advance(time.Minute)
		c.ok(204, "DELETE", path+text(b, "id"), "")
		c.h.Clock.Advance(time.Minute)
		c.ok(200, "POST", path+text(a, "id")+"/move?destinationTasklist="+other, "")
		c.ok(200, "PATCH", "/lists/"+other+"/tasks/"+text(b, "id"), `{"deleted":false}`)
		if diff := cmp.Diff([]string{"a", "b"}, c.titles(other, "")); diff != "" {
			t.Errorf("tasks (-want +got):\n%s", diff)
		}
	})
}
