package tasks_test

import (
	"errors"
	"net/http"
	"testing"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	api "google.golang.org/api/tasks/v1"

	"stoa.dev/stoa/test/sdk/world"
)

func client(t *testing.T, env map[string]string, token string) *api.Service {
	t.Helper()
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
	s, err := api.NewService(t.Context(), option.WithEndpoint(env["STOA_URL"]), option.WithTokenSource(source))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestEveryOperation calls the fourteen operations.
func TestEveryOperation(t *testing.T) {
	env := world.Start(t)
	s := client(t, env, env["STOA_TOKEN"])

	list := must(s.Tasklists.Insert(&api.TaskList{Title: "From Go"}).Do())(t)
	must(s.Tasklists.Update(list.Id, &api.TaskList{Title: "Again"}).Do())(t)
	must(s.Tasklists.Patch(list.Id, &api.TaskList{Title: "Patched"}).Do())(t)
	if got := must(s.Tasklists.Get(list.Id).Do())(t); got.Title != "Patched" || got.Etag == list.Etag {
		t.Errorf("list = %+v", got)
	}
	lists := 0
	err := s.Tasklists.List().MaxResults(1).Pages(t.Context(), func(page *api.TaskLists) error {
		lists += len(page.Items)
		return nil
	})
	if err != nil || lists < 3 {
		t.Errorf("%d lists, %v; want the demo's and ours", lists, err)
	}

	first := must(s.Tasks.Insert(list.Id, &api.Task{Title: "first", Due: "2031-05-06T00:00:00Z"}).Do())(t)
	second := must(s.Tasks.Insert(list.Id, &api.Task{Title: "second"}).Previous(first.Id).Do())(t)
	child := must(s.Tasks.Insert(list.Id, &api.Task{Title: "child"}).Parent(first.Id).Do())(t)
	if child.Parent != first.Id || second.Position <= first.Position || first.Due != "2031-05-06T00:00:00.000Z" {
		t.Errorf("first %+v, second %+v, child %+v", first, second, child)
	}
	moved := must(s.Tasks.Move(list.Id, second.Id).Do())(t)
	if moved.Position >= first.Position {
		t.Errorf("moved to %s, first is at %s", moved.Position, first.Position)
	}
	must(s.Tasks.Patch(list.Id, second.Id, &api.Task{Status: "completed"}).Do())(t)
	must(s.Tasks.Update(list.Id, first.Id, &api.Task{Id: first.Id, Title: "replaced"}).Do())(t)
	if err := s.Tasks.Clear(list.Id).Do(); err != nil {
		t.Fatal(err)
	}
	if got := must(s.Tasks.List(list.Id).Do())(t); len(got.Items) != 2 {
		t.Errorf("%d tasks after clear, want 2", len(got.Items))
	}
	if got := must(s.Tasks.List(list.Id).ShowHidden(true).Do())(t); len(got.Items) != 3 {
		t.Errorf("%d tasks with hidden ones, want 3", len(got.Items))
	}
	task := must(s.Tasks.Get(list.Id, first.Id).Do())(t)
	if _, err := s.Tasks.Get(list.Id, first.Id).IfNoneMatch(task.Etag).Do(); !googleapi.IsNotModified(err) {
		t.Errorf("a second read: %v, want not modified", err)
	}
	if err := s.Tasks.Delete(list.Id, first.Id).Do(); err != nil {
		t.Fatal(err)
	}
	if err := s.Tasklists.Delete(list.Id).Do(); err != nil {
		t.Fatal(err)
	}
	_, err = s.Tasklists.Get(list.Id).Do()
	var refused *googleapi.Error
	if !errors.As(err, &refused) || refused.Code != http.StatusNotFound || refused.Errors[0].Reason != "notFound" {
		t.Errorf("a deleted list: %v, want 404 notFound", err)
	}
	if _, err := client(t, env, "junk").Tasklists.List().Do(); err == nil {
		t.Error("a junk token was accepted")
	}
}

// TestOfficialNPMClient runs the same with the npm client.
func TestOfficialNPMClient(t *testing.T) {
	world.Node(t, "npm", "tasks.mjs", world.Start(t))
}
