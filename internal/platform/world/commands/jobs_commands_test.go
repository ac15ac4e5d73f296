package commands_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/platform/world/commands"
)

func open(t *testing.T) *world.World {
	t.Helper()
	w, err := world.Open(t.Context(), world.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := w.DB.Migrate(t.Context(), world.Migrations()...); err != nil {
		t.Fatal(err)
	}
	return w
}

type secret struct{ Token string }

// run calls a command of the world and gives its answer as JSON.
func run(t *testing.T, w *world.World, path string, values map[string][]string) (string, error) {
	t.Helper()
	for _, c := range commands.All(w) {
		if c.Path == path {
			answer, err := c.Run(t.Context(), &module.Input{Values: values})
			text, _ := json.Marshal(answer)
			return string(text), err
		}
	}
	t.Fatalf("there is no command %s", path)
	return "", nil
}

func TestJobsCommands(t *testing.T) {
	t.Parallel()
	w := open(t)
	fail := true
	w.Jobs.Register(jobs.Define(jobs.Kind[secret]{Name: "test.fail", MaxAttempts: 1,
		Run: func(context.Context, jobs.Job, secret) error {
			if fail {
				return errors.New("no luck")
			}
			return nil
		}}))
	enqueue := func() (id string) {
		err := w.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) (err error) {
			id, err = w.Jobs.Enqueue(t.Context(), tx, jobs.Enqueue{Kind: "test.fail", Payload: secret{"hunter2"}, Owner: "ada"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := enqueue()
	if err := w.Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Jobs.Schedule(t.Context(), jobs.Schedule{
		Name: "test.daily", Spec: "@daily", Kind: "test.fail", Payload: secret{"hunter2"},
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := run(t, w, "jobs schedules", nil); err != nil || strings.Contains(got, "hunter2") ||
		!strings.Contains(got, `"name":"test.daily","spec":"@daily","kind":"test.fail","next":"`) {
		t.Errorf("jobs schedules: %s %v", got, err)
	}
	one := map[string][]string{"id": {id}}
	list, err := run(t, w, "jobs list", map[string][]string{"state": {"dead"}, "owner": {"ada"}, "limit": {"10"}})
	show, showErr := run(t, w, "jobs show", one)
	for _, text := range []string{list, show} {
		if !strings.Contains(text, `"state":"dead"`) || !strings.Contains(text, `"error":"no luck"`) ||
			strings.Contains(text, "hunter2") {
			t.Errorf("%s (%v, %v), want a dead job with its error and without its payload", text, err, showErr)
		}
	}
	if got, err := run(t, w, "jobs list", map[string][]string{"owner": {"bob"}, "limit": {"10"}}); got != `{"jobs":[]}` ||
		err != nil {
		t.Errorf("jobs of another owner: %s, %v", got, err)
	}
	page := httptest.NewRecorder()
	w.Telemetry.Handler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if want := `stoa_jobs{kind="test.fail",state="dead"} 1`; !strings.Contains(page.Body.String(), want) {
		t.Errorf("the metrics lack %s", want)
	}
	fail = false
	if got, err := run(t, w, "jobs retry", one); err != nil || !strings.Contains(got, `"kind":"test.fail","done":"retried"`) {
		t.Errorf("retry: %s, %v, want the kind of the job", got, err)
	}
	if err := w.Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"jobs show", "jobs retry", "jobs discard"} {
		var failure *module.CommandError
		if _, err := run(t, w, path, one); !errors.As(err, &failure) || failure.Failure != module.NotFound {
			t.Errorf("%s of a finished job: %v, want not found", path, err)
		}
	}
	if got, err := run(t, w, "jobs discard", map[string][]string{"id": {enqueue()}}); err != nil {
		t.Errorf("discard: %s, %v", got, err)
	}
	if got, err := run(t, w, "jobs list", map[string][]string{"limit": {"10"}}); got != `{"jobs":[]}` || err != nil {
		t.Errorf("after all: %s, %v", got, err)
	}
}
