package events_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/events"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// TestReceivedFollowsPermissions takes away, one after the other, every reason for
// which a repository's events concern a user. None of it is an event itself.
func TestReceivedFollowsPermissions(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		ctx := t.Context()
		org, err := h.Identity.AddOrg(ctx, "lyceum", false)
		if err != nil {
			t.Fatal(err)
		}
		ada, mel := h.actor("ada"), h.actor("mel")
		if err := h.Identity.SetOrgMember(ctx, org.ID, mel.ID, identity.OrgMember); err != nil {
			t.Fatal(err)
		}
		shared, open := h.repo(t, "ada", "shared", true), h.repo(t, "ada", "open", false)
		hall, err := h.forge.Create(ctx, forge.NewRepository{Owner: "lyceum", Name: "hall", Private: true, Actor: ada})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.forge.SetMember(ctx, shared.ID, mel, forge.Read, ada); err != nil {
			t.Fatal(err)
		}
		for _, r := range []forge.Repository{open, hall} {
			if err := h.forge.Star(ctx, r.ID, mel); err != nil {
				t.Fatal(err)
			}
		}
		token := h.Token("mel")
		check := func(when, want string) {
			t.Helper()
			for range 2 {
				body := h.get("/users/mel/received_events?per_page=100", token).Body.String()
				got := ""
				for _, name := range []string{"ada/shared", "ada/open", "lyceum/hall"} {
					if strings.Contains(body, `"name":"`+name+`"`) {
						got += name + " "
					}
				}
				if got != want {
					t.Errorf("%s: events of %q, want %q", when, got, want)
				}
			}
		}
		check("at first", "ada/shared ada/open lyceum/hall ")
		if err := h.forge.RemoveMember(ctx, shared.ID, mel.ID); err != nil {
			t.Fatal(err)
		}
		check("no longer a member of the repository", "ada/open lyceum/hall ")
		if err := h.Identity.RemoveOrgMember(ctx, org.ID, mel.ID); err != nil {
			t.Fatal(err)
		}
		check("no longer a member of the organization", "ada/open ")
		if err := h.forge.Unstar(ctx, open.ID, mel.ID); err != nil {
			t.Fatal(err)
		}
		check("no longer a star", "")
	})
}

// TestWorkflowBudget checks that the budget belongs to the repository, under each
// name that a token was issued for, and not to a later repository of that name.
func TestWorkflowBudget(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "job", false)
		issue := func(name string) string {
			return h.Issue(identity.IssueOptions{
				Kind: identity.KindWorkflow, Services: []string{events.Name}, UserID: h.User("ada").ID, Repo: name,
			})
		}
		used := func(token string) string { return h.get("/versions", token).Header().Get("X-Ratelimit-Used") }
		old := issue("ada/job")
		if got := used(old); got != "1" {
			t.Errorf("first: used %s, want 1", got)
		}
		name := "task"
		if _, err := h.forge.Update(t.Context(), r.ID, forge.Change{Name: &name}, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		if got := used(issue("ada/task")); got != "2" {
			t.Errorf("under the new name: used %s, want 2", got)
		}
		if got := used(old); got != "3" {
			t.Errorf("with the old token: used %s, want 3", got)
		}
		h.Clock.Advance(1e9)
		h.repo(t, "ada", "job", false)
		if got := used(issue("ada/job")); got != "1" {
			t.Errorf("another repository of the old name: used %s, want 1", got)
		}
	})
}

// TestOwnedOrg checks that a store that does not answer is not taken for an
// organization that does not exist.
func TestOwnedOrg(t *testing.T) {
	t.Parallel()
	h := open(t, "", events.DefaultConfig())
	org, err := h.Identity.AddOrg(t.Context(), "lyceum", false)
	if err != nil {
		t.Fatal(err)
	}
	for name, role := range map[string]identity.OrgRole{"ada": identity.OrgOwner, "grace": identity.OrgMember} {
		if err := h.Identity.SetOrgMember(t.Context(), org.ID, h.User(name).ID, role); err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, row := range map[string]struct {
		ctx       context.Context
		user, org string
		want      refusal.Code
	}{
		"owner":      {t.Context(), "ada", "lyceum", ""},
		"member":     {t.Context(), "grace", "lyceum", refusal.CodeForbidden},
		"other user": {t.Context(), "zeno", "lyceum", refusal.CodeNotFound},
		"a user":     {t.Context(), "ada", "ada", refusal.CodeNotFound},
		"unknown":    {t.Context(), "ada", "none", refusal.CodeNotFound},
	} {
		_, err := h.service.OwnedOrg(row.ctx, h.User(row.user).ID, row.org)
		var own *events.Error
		if errors.As(err, &own); (err == nil) != (row.want == "") || own != nil && own.Code != row.want {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
	if _, err := h.service.OwnedOrg(gone, h.User("ada").ID, "lyceum"); !errors.Is(err, context.Canceled) {
		t.Errorf("without a store: %v, want its error", err)
	}
}

// TestAddCount checks the bounds of --count.
func TestAddCount(t *testing.T) {
	t.Parallel()
	h := open(t, "", events.DefaultConfig())
	h.repo(t, "ada", "open", false)
	for count, good := range map[string]bool{"1": true, "501": true, "0": false, "-1": false, "1000001": false} {
		for _, c := range h.Module.Commands {
			if c.Path != "events add" {
				continue
			}
			_, err := c.Run(t.Context(), &module.Input{
				Values: map[string][]string{
					"type": {"PublicEvent"}, "repo": {"ada/open"}, "user": {"ada"}, "payload": {"{}"}, "count": {count},
				},
				Progress: func(module.Progress) {},
			})
			var refused *module.CommandError
			if good != (err == nil) || !good && (!errors.As(err, &refused) || refused.Failure != module.Usage) {
				t.Errorf("count %s: %v, want good %v", count, err, good)
			}
		}
	}
	w := h.get("/repos/ada/open/events?per_page=100&page=3", "")
	if w.Code != http.StatusOK || len(idsOf(t, w)) != 100 {
		t.Errorf("the third page: %d with %d events, want 100", w.Code, len(idsOf(t, w)))
	}
}
