package conformance_test

import (
	"net/http"
	"slices"
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// taskServer is a server with a user who has tasks.
type taskServer struct {
	*conformance.Server
	token string
}

func (h taskServer) call(t *testing.T, method, path, body string) *conformance.Answer {
	t.Helper()
	return h.Do(t, conformance.Call{Method: method, Path: "/tasks/v1" + path, Bearer: h.token, Body: body})
}

// made sends a body and returns the resource that came back.
func (h taskServer) made(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	return h.call(t, method, path, body).Want(t, http.StatusOK).Object(t)
}

// ids are the ids of a collection, from all its pages.
func (h taskServer) ids(t *testing.T, path string) (ids []string) {
	t.Helper()
	for next := "?"; next != ""; {
		page := h.made(t, http.MethodGet, path+next, "")
		items, ok := page["items"].([]any)
		if !ok {
			t.Fatalf("%s has no items", path)
		}
		for _, item := range items {
			ids = append(ids, conformance.Text(t, item.(map[string]any), "id"))
		}
		if next, _ = page["nextPageToken"].(string); next != "" {
			next = "?pageToken=" + next
		}
	}
	return ids
}

// TestTasks proves C-01 to C-16.
func TestTasks(t *testing.T) {
	t.Parallel()
	conformance.On(t, provesTasks)
}

func provesTasks(t *testing.T, open opener) {
	h := taskServer{Server: open(t, conformance.Options{})}
	h.User(t, "cora")
	h.User(t, "carl")
	h.token = h.Token(t, "cora", "tasks")
	other := taskServer{Server: h.Server, token: h.Token(t, "carl", "tasks")}
	t.Run("C-01", func(t *testing.T) {
		list := conformance.Text(t, h.made(t, "POST", "/users/@me/lists", `{"title":"mine"}`), "id")
		task := conformance.Text(t, h.made(t, "POST", "/lists/"+list+"/tasks", `{"title":"x"}`), "id")
		h.made(t, "GET", "/lists/"+list+"/tasks/"+task, "")
		other.call(t, "GET", "/users/@me/lists/"+list, "").Want(t, http.StatusNotFound)
		other.call(t, "GET", "/lists/"+list+"/tasks/"+task, "").Want(t, http.StatusNotFound)
	})
	taskListRows(t, h, other)
	taskRows(t, h)
	t.Run("C-16", func(t *testing.T) { taskPaths(t, h) })
}

func taskListRows(t *testing.T, h, other taskServer) {
	const lists = "/users/@me/lists"
	newList := func(t *testing.T) (map[string]any, string) {
		t.Helper()
		made := h.made(t, "POST", lists, `{"title":"before"}`)
		return made, lists + "/" + conformance.Text(t, made, "id")
	}
	t.Run("C-02", func(t *testing.T) {
		made, path := newList(t)
		h.call(t, "DELETE", path, "").Want(t, http.StatusNoContent)
		h.call(t, "GET", path, "").Want(t, http.StatusNotFound)
		if slices.Contains(h.ids(t, lists), conformance.Text(t, made, "id")) {
			t.Error("the deleted list is still listed")
		}
	})
	t.Run("C-03", func(t *testing.T) {
		made, path := newList(t)
		if got := h.made(t, "GET", path, ""); got["id"] != made["id"] || got["title"] != "before" {
			t.Errorf("got %v, want %v", got, made)
		}
	})
	t.Run("C-04", func(t *testing.T) {
		made, _ := newList(t)
		if !slices.Contains(h.ids(t, lists), conformance.Text(t, made, "id")) {
			t.Error("the new list is not listed")
		}
	})
	t.Run("C-05", func(t *testing.T) {
		var mine []string
		for range 3 {
			made, _ := newList(t)
			mine = append(mine, conformance.Text(t, made, "id"))
		}
		foreign := conformance.Text(t, other.made(t, "POST", lists, `{"title":"theirs"}`), "id")
		all := h.ids(t, lists)
		for _, id := range mine {
			if !slices.Contains(all, id) {
				t.Errorf("list %s is missing", id)
			}
		}
		if slices.Contains(all, foreign) {
			t.Error("another user's list is shown")
		}
	})
	for row, method := range conformance.InOrder(map[string]string{"C-06": "PATCH", "C-07": "PUT"}) {
		t.Run(row, func(t *testing.T) {
			_, path := newList(t)
			h.made(t, method, path, `{"title":"after"}`)
			if got := h.made(t, "GET", path, "")["title"]; got != "after" {
				t.Errorf("title = %v, want after", got)
			}
		})
	}
}

func taskRows(t *testing.T, h taskServer) {
	list := "/lists/" + conformance.Text(t, h.made(t, "POST", "/users/@me/lists", `{"title":"rows"}`), "id")
	insert := func(t *testing.T, body string) string {
		t.Helper()
		return conformance.Text(t, h.made(t, "POST", list+"/tasks", body), "id")
	}
	t.Run("C-08", func(t *testing.T) {
		done, open := insert(t, `{"status":"completed"}`), insert(t, `{"title":"open"}`)
		h.call(t, "POST", list+"/clear", "").Want(t, http.StatusNoContent)
		if got := h.ids(t, list+"/tasks"); slices.Contains(got, done) || !slices.Contains(got, open) {
			t.Errorf("tasks = %v, want the open one only", got)
		}
	})
	t.Run("C-09", func(t *testing.T) {
		id := insert(t, `{}`)
		h.call(t, "DELETE", list+"/tasks/"+id, "").Want(t, http.StatusNoContent)
		h.call(t, "GET", list+"/tasks/"+id, "").Want(t, http.StatusNotFound)
	})
	t.Run("C-10", func(t *testing.T) {
		id := insert(t, `{"title":"read me"}`)
		if got := h.made(t, "GET", list+"/tasks/"+id, "")["title"]; got != "read me" {
			t.Errorf("title = %v, want read me", got)
		}
	})
	t.Run("C-11", func(t *testing.T) {
		if id := insert(t, `{}`); !slices.Contains(h.ids(t, list+"/tasks"), id) {
			t.Error("the new task is not listed")
		}
	})
	t.Run("C-12", func(t *testing.T) {
		fresh := "/lists/" + conformance.Text(t, h.made(t, "POST", "/users/@me/lists", `{"title":"n"}`), "id")
		var want []string
		for range 25 { // More than one page.
			want = append(want, conformance.Text(t, h.made(t, "POST", fresh+"/tasks", `{}`), "id"))
		}
		slices.Reverse(want) // A new task comes first.
		if got := h.ids(t, fresh+"/tasks"); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("C-13", func(t *testing.T) {
		first, second := insert(t, `{}`), insert(t, `{}`)
		before := conformance.Text(t, h.made(t, "GET", list+"/tasks/"+second, ""), "position")
		h.made(t, "POST", list+"/tasks/"+second+"/move?previous="+first, "")
		after := conformance.Text(t, h.made(t, "GET", list+"/tasks/"+second, ""), "position")
		all := h.ids(t, list+"/tasks")
		if after <= before || slices.Index(all, second) != slices.Index(all, first)+1 {
			t.Errorf("position %s became %s, order %v", before, after, all)
		}
	})
	for _, row := range []struct {
		id, method string
		notes      any // What was not sent is left by a patch and replaced by an update.
	}{{"C-14", "PATCH", "n"}, {"C-15", "PUT", nil}} {
		t.Run(row.id, func(t *testing.T) {
			path := list + "/tasks/" + insert(t, `{"title":"before","notes":"n"}`)
			h.made(t, row.method, path, `{"title":"after"}`)
			if got := h.made(t, "GET", path, ""); got["title"] != "after" || got["notes"] != row.notes {
				t.Errorf("title = %v and notes = %v, want after and %v", got["title"], got["notes"], row.notes)
			}
		})
	}
}

// taskPaths sends the fourteen requests on the exact paths, and some beside
// them that must not be served.
func taskPaths(t *testing.T, h taskServer) {
	const lists = "/users/@me/lists"
	id := conformance.Text(t, h.made(t, "POST", lists, `{"title":"paths"}`), "id")
	list, tasks := lists+"/"+id, "/lists/"+id+"/tasks"
	h.made(t, "GET", lists, "")
	h.made(t, "GET", list, "")
	h.made(t, "PATCH", list, `{}`)
	h.made(t, "PUT", list, `{"title":"paths"}`)
	task := tasks + "/" + conformance.Text(t, h.made(t, "POST", tasks, `{}`), "id")
	h.made(t, "GET", tasks, "")
	h.made(t, "GET", task, "")
	h.made(t, "PATCH", task, `{}`)
	h.made(t, "PUT", task, `{}`)
	h.made(t, "POST", task+"/move", "")
	for _, path := range []string{"/users/@me" + tasks, "/lists/" + id, "/users/me/lists"} {
		h.call(t, "GET", path, "").Want(t, http.StatusNotFound)
	}
	h.call(t, "POST", "/lists/"+id+"/clear", "").Want(t, http.StatusNoContent)
	h.call(t, "DELETE", task, "").Want(t, http.StatusNoContent)
	h.call(t, "DELETE", list, "").Want(t, http.StatusNoContent)
}
