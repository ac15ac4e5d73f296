package events_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/service/events"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// subject is a repository as a request of its owner found it.
func (h *testServer) subject(r forge.Repository, user string) operation.Subject {
	caller := &identity.Caller{Kind: identity.KindPersonal, Scopes: identity.EveryScope()}
	return operation.Subject{Repo: r, May: forge.Admin, Actor: h.actor(user), Caller: caller}
}

// count counts the rows of a repository in a table.
func (h *testServer) count(t *testing.T, table string, repo int64) (n int64) {
	t.Helper()
	err := h.World.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM `+table+` WHERE repo_id = $1`, repo).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestChangeOfADeletedRepository: a request that found a repository before it was deleted writes nothing that would
// stay.
func TestChangeOfADeletedRepository(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "gone", false)
		found := h.subject(r, "ada")
		if err := h.forge.Delete(t.Context(), r.ID, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		title := "late"
		_, err := h.service.Discussions().OpenIssue(t.Context(), found, discussions.Change{Title: &title})
		var refused *refusal.Error
		if !errors.As(err, &refused) || refused.Code != refusal.CodeNotFound {
			t.Errorf("an issue of a deleted repository: %v, want it refused as not found", err)
		}
		_, err = h.service.Add(t.Context(), r, events.TypeWatch, h.actor("ada"), json.RawMessage(`{"action":"started"}`))
		if !errors.As(err, &refused) || refused.Code != refusal.CodeNotFound {
			t.Errorf("an event of a deleted repository: %v, want it refused as not found", err)
		}
		if n := h.count(t, "events_issues", r.ID); n != 0 {
			t.Errorf("%d issues of the deleted repository are there", n)
		}
	})
}

// TestDeletionWaitsForChanges: what a change writes while its repository is being deleted goes with it.
func TestDeletionWaitsForChanges(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "going", false)
		found, host := h.subject(r, "ada"), h.service.Host()
		deleted := make(chan error, 1)
		err := host.WriteBeside(t.Context(), "events/discussions", &found, func(ctx context.Context, tx *database.Tx) error {
			go func() { deleted <- h.forge.Delete(t.Context(), r.ID, found.Actor) }()
			h.untilItWaits(t, tx, deleted)
			_, err := tx.Exec(ctx, `
				INSERT INTO events_labels (repo_id, name, folded_name, color, description) VALUES ($1, 'l', 'l', '', '')`, r.ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := <-deleted; err != nil {
			t.Fatal(err)
		}
		if n := h.count(t, "events_labels", r.ID); n != 0 {
			t.Errorf("%d labels of the deleted repository are there", n)
		}
	})
}

// untilItWaits returns when another transaction waits for a lock, or has ended. SQLite's wait for their turn.
func (h *testServer) untilItWaits(t *testing.T, tx *database.Tx, ended chan error) {
	t.Helper()
	for waiting := int64(0); waiting == 0 && len(ended) == 0 && tx.Engine() != database.SQLite; {
		<-time.After(time.Millisecond)
		err := h.World.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// TestEventsOfAHiddenRepository: what a request does that found a repository before it was made private is not told to
// those who may not see it.
func TestEventsOfAHiddenRepository(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		r, private := h.repo(t, "ada", "plans", false), true
		found := h.subject(r, "ada")
		if _, err := h.forge.Update(t.Context(), r.ID, forge.Change{Private: &private}, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		title := "a secret plan"
		if _, err := h.service.Discussions().OpenIssue(t.Context(), found, discussions.Change{Title: &title}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.service.Add(t.Context(), r, events.TypeWatch, h.actor("ada"),
			json.RawMessage(`{"action":"started","note":"secret"}`)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/events", "/users/ada/events"} {
			if body := h.get(path, h.Token("mel")).Body.String(); strings.Contains(body, "secret") {
				t.Errorf("%s shows what happened in a private repository: %s", path, body)
			}
		}
	})
}

// TestDeletedHookSendsNothing: a hook that is deleted while it is asked to send something answers that it is not there.
func TestDeletedHookSendsNothing(t *testing.T) {
	t.Parallel()
	h := open(t, databasetest.PostgresURL(t), generous())
	receiver := delivertest.NewReceiver(t)
	settle := h.receive(t, receiver)
	r := h.repo(t, "ada", "told", false)
	key := fmt.Sprint("events/hooks/repository/", r.ID) // as every change of its hooks has it
	ada, at := h.Token("ada"), "/repos/ada/told/hooks"
	for _, path := range []string{"/pings", "/deliveries/%.0f/attempts"} {
		made := h.do(t, ada, "POST", at, `{"config":{"url":"`+receiver.URL+`"}}`, 201)
		settle()
		hook := fmt.Sprintf("%s/%.0f", at, made["id"])
		var sent []map[string]any
		if err := json.Unmarshal(h.get(hook+"/deliveries", ada).Body.Bytes(), &sent); err != nil || len(sent) != 1 {
			t.Fatalf("deliveries %v, %v", sent, err)
		}
		if strings.Contains(path, "%") {
			path = fmt.Sprintf(path, sent[0]["id"])
		}
		codes, ended := make(chan int, 1), make(chan error, 1)
		err := h.World.DB.WriteKeyed(t.Context(), key, func(ctx context.Context, tx *database.Tx) error {
			if _, err := tx.Exec(ctx, `DELETE FROM events_hooks WHERE id = $1`, int64(made["id"].(float64))); err != nil {
				return err
			}
			go func() {
				codes <- h.Call("POST", hook+path, "", "Authorization: Bearer "+ada).Code
				ended <- nil
			}()
			h.untilItWaits(t, tx, ended)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := <-codes; got != http.StatusNotFound {
			t.Errorf("POST %s of a hook that was deleted meanwhile: %d, want 404", path, got)
		}
	}
}

// TestHooksOfADeletedRepository: what waits to be sent to the webhooks of a repository is given up when it is deleted,
// as it is when a webhook is.
func TestHooksOfADeletedRepository(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		receiver := delivertest.NewReceiver(t)
		settle := h.receive(t, receiver)
		r := h.repo(t, "ada", "told", false)
		h.do(t, h.Token("ada"), "POST", "/repos/ada/told/hooks", `{"config":{"url":"`+receiver.URL+`"}}`, 201)
		if err := h.forge.Delete(t.Context(), r.ID, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		settle()
		if got := receiver.Requests(); len(got) != 0 {
			t.Errorf("the receiver was told %d times", len(got))
		}
	})
}
