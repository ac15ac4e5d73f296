package tasks_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/tasks"
)

// TestCacheFollowsEveryChange makes each kind of change in another
// instance of the service, as a second process would, and reads here.
func TestCacheFollowsEveryChange(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(tasks.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		ctx, c, ada := t.Context(), client{t, h, h.Token("ada")}, h.User("ada").ID
		other := tasks.New(h.World, h.Identity, tasks.DefaultConfig())
		const all = "/lists/@default/tasks?showHidden=true&showDeleted=true"
		read := func() string { return c.call("GET", all, "").Body.String() }

		insert := func(title string) (tasks.Task, error) {
			change := tasks.Change{Title: wire.Some(title)}
			return other.InsertTask(ctx, ada, tasks.DefaultList, change, tasks.Place{}, false)
		}
		update := func(task tasks.Task, change tasks.Change) error {
			_, err := other.UpdateTask(ctx, ada, tasks.DefaultList, task.ID, "", change)
			return err
		}
		first, err := insert("one")
		if err != nil {
			t.Fatal(err)
		}
		second, err := insert("two")
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []struct {
			name string
			do   func() error
		}{
			{"insert", func() error {
				_, err := insert("three")
				return err
			}},
			{"patch", func() error { return update(first, tasks.Change{Notes: wire.Some("more")}) }},
			{"move", func() error {
				_, err := other.MoveTask(ctx, ada, tasks.DefaultList, second.ID, tasks.Place{Parent: first.ID})
				return err
			}},
			{"complete", func() error { return update(second, tasks.Change{Status: wire.Some("completed")}) }},
			{"clear", func() error { return other.Clear(ctx, ada, tasks.DefaultList) }},
			{"delete", func() error { return other.DeleteTask(ctx, ada, tasks.DefaultList, first.ID, "") }},
		} {
			before := read()
			if again := read(); again != before {
				t.Errorf("%s: without a change the answer went from %s to %s", change.name, before, again)
			}
			if err := change.do(); err != nil {
				t.Fatalf("%s: %v", change.name, err)
			}
			if after := read(); after == before {
				t.Errorf("%s: the answer is still %s", change.name, after)
			}
		}
	})
}

// TestCacheKeepsUsersApart checks that no user is answered with what was cached
// for another user, or for another request.
func TestCacheKeepsUsersApart(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(tasks.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		ada, bob := client{t, h, h.Token("ada")}, client{t, h, h.Token("bob")}
		made := ada.insert("@default", `{"title":"secret"}`, "")
		bob.insert("@default", `{"title":"open"}`, "")
		for range 2 {
			if got := ada.titles("@default", ""); len(got) != 1 || got[0] != "secret" {
				t.Errorf("ada reads %v, want her task", got)
			}
			if got := bob.titles("@default", ""); len(got) != 1 || got[0] != "open" {
				t.Errorf("bob reads %v, want his task", got)
			}
			if got := ada.titles("@default", "?dueMin=2030-01-01T00:00:00Z"); len(got) != 0 {
				t.Errorf("a filter gives %v, want nothing", got)
			}
			ada.ok(200, "GET", "/lists/@default/tasks/"+text(made, "id"), "")
			bob.refused(404, "notFound", "GET", "/lists/@default/tasks/"+text(made, "id"), "")
		}
	})
}
