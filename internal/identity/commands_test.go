package identity_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// run does what the command line does: check, run, print as JSON.
func (h *fixture) run(path string, values map[string][]string) (map[string]any, error) {
	h.t.Helper()
	for _, c := range h.Commands() {
		if c.Path != path {
			continue
		}
		if err := c.Check(values); err != nil {
			return nil, err
		}
		made, err := c.Run(h.t.Context(), &module.Input{Values: values, Progress: func(module.Progress) {}})
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(made)
		must(h.t, err)
		var out map[string]any
		must(h.t, json.Unmarshal(text, &out))
		return out, nil
	}
	h.t.Fatalf("there is no command %q", path)
	return nil, nil
}

func (h *fixture) mustRun(path string, values map[string][]string) map[string]any {
	h.t.Helper()
	out, err := h.run(path, values)
	must(h.t, err)
	return out
}

type values = map[string][]string

func TestCommands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.mustRun("user add", values{"name": {"ada"}, "admin": {"true"}})
		_, err := h.CheckPassword(ctx, "ada", ada["password"].(string))
		must(t, err)
		if bob := h.mustRun("user add", values{"name": {"bob"}, "password": {"long enough"}}); bob["password"] != nil || bob["name"] != "bob" {
			t.Errorf("user add with a password = %v, want it not repeated", bob)
		}
		if list := h.mustRun("user list", nil)["users"].([]any); len(list) != 2 {
			t.Errorf("user list = %v, want two", list)
		}
		h.mustRun("org add", values{"name": {"acme"}, "enterprise": {"true"}})
		if m := h.mustRun("org member add", values{"org": {"acme"}, "user": {"bob"}}); m["role"] != "member" {
			t.Errorf("org member add = %v, want a plain member", m)
		}
		team := h.mustRun("team add", values{"name": {"crew"}, "owner": {"ada"}, "member": {"bob"}, "sso-only": {"true"}})
		if team["name"] != "crew" || team["sso_only"] != true {
			t.Errorf("team add = %v", team)
		}
		app := h.mustRun("client add", values{"name": {"app"}, "type": {"app"}, "org": {"acme"}, "internal": {"true"}})
		_, err = h.CheckClient(ctx, app["client_id"].(string), app["client_secret"].(string))
		must(t, err)

		tok := h.mustRun("token issue", values{"user": {"ada"}, "service": {"labels"}})
		c := h.resolves("labels", tok["token"].(string), nil)
		if !c.HasScope("storage.labels") || !c.HasScope("storage.labels.readonly") || !c.Admin || !c.ExpiresAt.IsZero() {
			t.Errorf("token issue made %+v, want every scope for ever", c)
		}
		one := h.mustRun("token issue", values{"user": {"bob"}, "service": {"labels"}, "ttl": {"1h"}, "scope": {"storage.labels.readonly"}})
		c = h.resolves("labels", one["token"].(string), nil)
		if c.HasScope("storage.labels") || c.ExpiresAt.IsZero() || one["scopes"].([]any)[0] != "http://stoa.test/auth/storage.labels.readonly" {
			t.Errorf("token issue made %+v, %v, want one scope for an hour", c, one)
		}
		inst := h.mustRun("token issue", values{"service": {"events"}, "kind": {"installation"}, "client": {app["client_id"].(string)}})
		if c := h.resolves("events", inst["token"].(string), nil); c.Org != "acme" {
			t.Errorf("installation token belongs to %q, want acme", c.Org)
		}
		key := h.mustRun("key issue", values{"user": {"ada"}, "service": {"apikeys"}, "days": {"2"}})
		if c := h.resolves("apikeys", key["key"].(string), nil); !c.ExpiresAt.Equal(epoch.AddDate(0, 0, 2)) {
			t.Errorf("key expires %v, want in two days", c.ExpiresAt)
		}
		never := h.mustRun("key issue", values{"user": {"ada"}, "service": {"snapshots"}, "kind": {"application"}, "never": {"true"}})
		if c := h.resolves("snapshots", never["key"].(string), nil); !c.ExpiresAt.IsZero() || c.Kind != identity.KindApplication {
			t.Errorf("key issue --never made %+v", c)
		}
	})
}

func TestCommandsThatFail(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	h.user("ada")
	h.mustRun("org add", values{"name": {"acme"}})
	for _, row := range []struct {
		name, path string
		v          values
		failure    module.Failure
		says       string
	}{
		{"taken", "user add", values{"name": {"ADA"}}, module.Conflict, `"ADA" is taken`},
		{"bad name", "user add", values{"name": {"a b"}}, module.Usage, "letters, digits"},
		{"no such org", "org member add", values{"org": {"x"}, "user": {"ada"}}, module.NotFound, "stoa org add"},
		{"no such member", "org member add", values{"org": {"x"}, "user": {"eve"}}, module.NotFound, `"x"`},
		{"no such member to remove", "org member remove", values{"org": {"acme"}, "user": {"ada"}}, module.NotFound, "organization member"},
		{"no such user to disable", "user disable", values{"name": {"eve"}}, module.NotFound, "stoa user list"},
		{"no such user to help", "user password", values{"name": {"eve"}}, module.NotFound, "stoa user list"},
		{"no such client", "org approve", values{"org": {"acme"}, "client": {"x"}}, module.NotFound, "stoa client add"},
		{"no such owner", "team add", values{"name": {"x"}, "owner": {"eve"}}, module.NotFound, `there is no user "eve"; stoa user list`},
		{"no such user", "token issue", values{"user": {"eve"}, "service": {"labels"}}, module.NotFound, "stoa user list"},
		{"no such service", "token issue", values{"user": {"ada"}, "service": {"nope"}}, module.NotFound, `no service "nope"`},
		{"no such scope", "token issue", values{"user": {"ada"}, "service": {"labels"}, "scope": {"x"}}, module.Usage, `"x" is not known`},
		{"nobody", "token issue", values{"service": {"labels"}}, module.Usage, "user is needed"},
		{"no repo", "token issue", values{"user": {"ada"}, "service": {"pipelines"}, "kind": {"project"}}, module.Usage, "OWNER/NAME"},
		{"no life", "token issue", values{"user": {"ada"}, "service": {"labels"}, "ttl": {"0s"}}, module.Usage, "more than zero"},
		{"both ends", "key issue", values{"user": {"ada"}, "service": {"apikeys"}, "days": {"1"}, "never": {"true"}}, module.Usage, "exclude"},
		{"no days", "key issue", values{"user": {"ada"}, "service": {"apikeys"}, "days": {"0"}}, module.Usage, "--never"},
		{"no team", "key issue", values{"user": {"ada"}, "service": {"apikeys"}, "team": {"x"}}, module.NotFound, "stoa team add"},
		{"no org", "client add", values{"name": {"x"}, "type": {"web"}, "org": {"x"}}, module.NotFound, "stoa org add"},
		{"bad redirect", "client add", values{"name": {"x"}, "type": {"web"}, "redirect": {"cb"}}, module.Usage, "absolute URL"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := h.run(row.path, row.v)
			var failed *module.CommandError
			if !errors.As(err, &failed) || failed.Failure != row.failure || !strings.Contains(err.Error(), row.says) {
				t.Errorf("err = %v, want %s with %q", err, row.failure, row.says)
			}
		})
	}
}

// What was issued is listed without its secret, by name, and ends once revoked.
func TestListAndRevokeCommands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		h.mustRun("user add", values{"name": {"ada"}})
		h.mustRun("user add", values{"name": {"bob"}})
		for _, what := range []string{"token", "key"} {
			issued := h.mustRun(what+" issue", values{"user": {"ada"}, "service": {"labels"}, "name": {"for tests"}})
			secret := issued[what].(string)
			listed := h.mustRun(what+" list", values{"user": {"ada"}})[what+"s"].([]any)
			if len(listed) != 1 {
				t.Fatalf("%s list = %v, want one", what, listed)
			}
			row := listed[0].(map[string]any)
			if row["name"] != "for tests" || row["user"] != "ada" || row["id"] != issued["id"] {
				t.Errorf("%s list = %v, want the one issued", what, row)
			}
			if all := h.mustRun(what+" list", nil)[what+"s"].([]any); len(all) != 1 {
				t.Errorf("%s list of everybody = %v, want one", what, all)
			}
			if none := h.mustRun(what+" list", values{"user": {"bob"}})[what+"s"].([]any); len(none) != 0 {
				t.Errorf("%s list of another = %v, want none", what, none)
			}
			id := strconv.FormatInt(int64(issued["id"].(float64)), 10)
			other := map[string]string{"token": "key", "key": "token"}[what]
			for _, wrong := range []struct{ path, id string }{{other + " revoke", id}, {what + " revoke", "999"}, {what + " revoke", "x"}} {
				if _, err := h.run(wrong.path, values{"id": {wrong.id}}); err == nil {
					t.Errorf("%s %s succeeded", wrong.path, wrong.id)
				}
			}
			_, err := h.Resolve(t.Context(), "labels", secret)
			must(t, err)
			h.mustRun(what+" revoke", values{"id": {id}})
			if _, err := h.Resolve(t.Context(), "labels", secret); !errors.Is(err, identity.ErrRevoked) {
				t.Errorf("%s after revoke: %v, want ErrRevoked", what, err)
			}
			if left := h.mustRun(what+" list", nil)[what+"s"].([]any); len(left) != 0 {
				t.Errorf("%s list after revoke = %v, want none", what, left)
			}
		}
	})
}

func TestCommandsForWhoLeavesOrForgets(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		u, err := h.AddUser(ctx, identity.NewUser{Name: "ada", Password: "forgotten"})
		must(t, err)
		_, secret := h.token(identity.IssueOptions{UserID: u.ID})
		_, session, err := h.StartSession(ctx, identity.SessionRequest{UserID: u.ID, TTL: time.Hour})
		must(t, err)

		h.mustRun("user disable", values{"name": {"ada"}})
		h.resolves("labels", secret, identity.ErrDisabled)
		h.mustRun("user enable", values{"name": {"ada"}})
		h.resolves("labels", secret, nil)

		made := h.mustRun("user password", values{"name": {"ada"}})
		_, err = h.CheckPassword(ctx, "ada", made["password"].(string))
		must(t, err)
		if _, _, err := h.SessionBySecret(ctx, session); !errors.Is(err, identity.ErrUnknown) {
			t.Errorf("the session from before the new password: %v, want ErrUnknown", err)
		}
		if out := h.mustRun("user password", values{"name": {"ada"}, "password": {"chosen by hand"}}); out["password"] != nil {
			t.Errorf("a chosen password is repeated: %v", out)
		}

		org := h.mustRun("org add", values{"name": {"acme"}, "enterprise": {"true"}})
		h.mustRun("org member add", values{"org": {"acme"}, "user": {"ada"}})
		client := h.mustRun("client add", values{"name": {"app"}, "type": {"device"}})["client_id"].(string)
		_, held := h.token(identity.IssueOptions{Kind: identity.KindAccess, UserID: u.ID, ClientID: client})
		for _, step := range []struct {
			path   string
			values values
			want   bool
		}{
			{"org approve", values{"org": {"acme"}, "client": {client}}, true},
			{"org approve", values{"org": {"acme"}, "client": {client}, "withdraw": {"true"}}, false},
			{"org approve", values{"org": {"acme"}, "client": {client}}, true},
			{"org member remove", values{"org": {"acme"}, "user": {"ada"}}, false},
		} {
			h.mustRun(step.path, step.values)
			if got := h.resolves("labels", held, nil).ClientEnterprise; got != step.want {
				t.Errorf("after %s %v the client is enterprise: %t, want %t", step.path, step.values, got, step.want)
			}
		}
		if _, err := h.OrgRoleOf(ctx, int64(org["id"].(float64)), u.ID); !errors.Is(err, identity.ErrNotFound) {
			t.Errorf("the role after the removal: %v, want ErrNotFound", err)
		}
	})
}
