package commands_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/commands"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/identity/removal"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// fixture is an identity with the commands over it.
type fixture struct {
	*identitytest.Server
	commands []module.Command
	t        testing.TB
}

// registerServices declares the service under test and those that keys are for.
func registerServices(_ *world.World, i *identity.Identity) module.Module {
	keys := []identity.Kind{identity.KindAPI, identity.KindApplication}
	i.Register(
		module.Module{Name: "apikeys", Keys: keys[:1]}, module.Module{Name: "snapshots", Keys: keys},
		module.Module{Name: "pipelines", Scopes: []module.Scope{{Name: "all"}}},
		module.Module{Name: "events", Scopes: []module.Scope{{Name: "repo"}}}, module.Module{Name: "packages"},
	)
	i.Register(module.Module{Name: "kms", Scopes: []module.Scope{{Name: "vault", Operator: true}}})
	return module.Module{Name: "labels", Scopes: []module.Scope{
		{Name: "storage.labels", Based: true}, {Name: "storage.labels.readonly", Based: true},
	}}
}

// onBoth runs fn with an identity of its own on each database.
func onBoth(t *testing.T, fn func(t *testing.T, h *fixture)) {
	t.Helper()
	identitytest.Run(t, registerServices, func(t *testing.T, s *identitytest.Server) { fn(t, newFixture(t, s)) })
}

// onSQLite is for what is not about storage.
func onSQLite(t *testing.T) *fixture {
	t.Helper()
	return newFixture(t, identitytest.SQLite(t, registerServices))
}

func newFixture(t testing.TB, s *identitytest.Server) *fixture {
	r := removal.New(s.Identity, s.World.DB, nil)
	return &fixture{Server: s, commands: commands.All(s.Identity, s.Grants, r), t: t}
}

// resolves asks who the secret speaks for and compares the error.
func (h *fixture) resolves(service, secret string, want error) *identity.Caller {
	h.t.Helper()
	kinds := append(identity.TokenKinds(), identity.KindAPI, identity.KindApplication)
	c, err := h.Identity.Verify(h.t.Context(), secret, identity.Requirement{Service: service, Kinds: kinds})
	if !errors.Is(err, want) {
		h.t.Fatalf("Verify = %v, want %v", err, want)
	}
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run does what the command line does: check, run, print as JSON.
func (h *fixture) run(path string, values map[string][]string) (map[string]any, error) {
	h.t.Helper()
	for _, c := range h.commands {
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

// args reads "name=value name=value".
func args(text string) values {
	out := values{}
	for _, pair := range strings.Fields(text) {
		name, value, _ := strings.Cut(pair, "=") // without a sign the value is empty
		out[name] = append(out[name], value)
	}
	return out
}

func TestCommands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.mustRun("user add", args("name=ada admin=true"))
		_, err := h.Identity.CheckPassword(ctx, "ada", ada["password"].(string))
		must(t, err)
		bob := h.mustRun("user add", args("name=bob password=long-enough"))
		if bob["password"] != nil || bob["name"] != "bob" {
			t.Errorf("user add with a password = %v, want it not repeated", bob)
		}
		if list := h.mustRun("user list", nil)["users"].([]any); len(list) != 2 {
			t.Errorf("user list = %v, want two", list)
		}
		h.mustRun("org add", args("name=acme enterprise=true"))
		if m := h.mustRun("org member add", args("org=acme user=bob")); m["role"] != "member" {
			t.Errorf("org member add = %v, want a plain member", m)
		}
		team := h.mustRun("team add", args("name=crew owner=ada member=bob sso-only=true"))
		if team["name"] != "crew" || team["sso_only"] != true {
			t.Errorf("team add = %v", team)
		}
		app := h.mustRun("client add", args("name=app type=app org=acme internal=true"))
		_, err = h.Identity.CheckClient(ctx, app["client_id"].(string), app["client_secret"].(string))
		must(t, err)

		tok := h.mustRun("token issue", args("user=ada service=labels"))
		c := h.resolves("labels", tok["token"].(string), nil)
		if !c.HasScope("storage.labels") || !c.HasScope("storage.labels.readonly") || !c.Admin || !c.ExpiresAt.IsZero() {
			t.Errorf("token issue made %+v, want every scope for ever", c)
		}
		one := h.mustRun("token issue", args("user=bob service=labels ttl=1h scope=storage.labels.readonly"))
		c = h.resolves("labels", one["token"].(string), nil)
		printed := one["scopes"].([]any)[0]
		if c.HasScope("storage.labels") || c.ExpiresAt.IsZero() ||
			printed != "http://stoa.test/auth/storage.labels.readonly" {
			t.Errorf("token issue made %+v, %v, want one scope for an hour", c, one)
		}
		inst := h.mustRun("token issue", args("service=events kind=installation client="+app["client_id"].(string)))
		if c := h.resolves("events", inst["token"].(string), nil); c.Org != "acme" {
			t.Errorf("installation token belongs to %q, want acme", c.Org)
		}
		key := h.mustRun("key issue", args("user=ada service=apikeys days=2"))
		if c := h.resolves("apikeys", key["key"].(string), nil); !c.ExpiresAt.Equal(identitytest.Start().AddDate(0, 0, 2)) {
			t.Errorf("key expires %v, want in two days", c.ExpiresAt)
		}
		never := h.mustRun("key issue", args("user=ada service=snapshots kind=application never=true"))
		c = h.resolves("snapshots", never["key"].(string), nil)
		if !c.ExpiresAt.IsZero() || c.Kind != identity.KindApplication {
			t.Errorf("key issue --never made %+v", c)
		}
	})
}

func TestCommandsThatFail(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	h.User("ada")
	h.mustRun("org add", args("name=acme"))
	for _, row := range []struct {
		name, path string
		v          values
		failure    module.Failure
		says       string
	}{
		{"taken", "user add", args("name=ADA"), module.Conflict, `"ADA" is taken`},
		{"bad name", "user add", values{"name": {"a b"}}, module.Usage, "letters, digits"},
		{"no such org", "org member add", args("org=x user=ada"), module.NotFound, "stoa org add"},
		{"no such member", "org member add", args("org=x user=eve"), module.NotFound, `"x"`},
		{"no such member to remove", "org member remove", args("org=acme user=ada"), module.NotFound, "organization member"},
		{"no such user to disable", "user disable", args("name=eve"), module.NotFound, "stoa user list"},
		{"no such user to help", "user password", args("name=eve"), module.NotFound, "stoa user list"},
		{"no such client", "org approve", args("org=acme client=x"), module.NotFound, "stoa client add"},
		{"no such owner", "team add", args("name=x owner=eve"), module.NotFound, `there is no user "eve"; stoa user list`},
		{"no such user", "token issue", args("user=eve service=labels"), module.NotFound, "stoa user list"},
		{"no such service", "token issue", args("user=ada service=nope"), module.NotFound, `no service "nope"`},
		{"no such scope", "token issue", args("user=ada service=labels scope=x"), module.Usage, `"x" is not known; scopes of labels are`},
		{"no user", "token issue", args("service=labels"), module.Usage, "user is needed; name one with --user"},
		{"no repo", "token issue", args("user=ada service=pipelines kind=project"), module.Usage,
			"OWNER/NAME; name one with --repo"},
		{"no life", "token issue", args("user=ada service=labels ttl=0s"), module.Usage, "more than zero"},
		{"both ends", "key issue", args("user=ada service=apikeys days=1 never=true"), module.Usage, "exclude"},
		{"key for tokens", "key issue", args("user=ada service=labels"), module.Usage,
			"stoa token issue --service labels"},
		{"token for keys", "token issue", args("user=ada service=snapshots"), module.Usage,
			"stoa key issue --service snapshots --kind api, stoa key issue --service snapshots --kind application"},
		{"other key", "key issue", args("user=ada service=apikeys kind=application"), module.Usage, "--kind api"},
		{"open to all", "token issue", args("user=ada service=packages"), module.Usage, "takes no credential of its own"},
		{"no days", "key issue", args("user=ada service=apikeys days=0"), module.Usage, "--never"},
		{"no team", "key issue", args("user=ada service=apikeys team=x"), module.NotFound, "stoa team add"},
		{"no org", "client add", args("name=x type=web org=x"), module.NotFound, "stoa org add"},
		{"no redirect", "client add", args("name=x type=web"), module.Usage, "--redirect https://"},
		{"bad redirect", "client add", args("name=x type=web redirect=cb"), module.Usage, "absolute URL"},
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
		h.mustRun("user add", args("name=ada"))
		h.mustRun("user add", args("name=bob"))
		for _, what := range []string{"token", "key"} {
			issued := h.mustRun(what+" issue", values{
				"user": {"ada"}, "service": {"labels"}, "name": {"for tests"}, "any-kind": {"true"},
			})
			secret := issued[what].(string)
			listed := h.mustRun(what+" list", args("user=ada"))[what+"s"].([]any)
			if len(listed) != 1 {
				t.Fatalf("%s list = %v, want one", what, listed)
			}
			row := listed[0].(map[string]any)
			if row["name"] != "for tests" || row["user"] != "ada" || row["id"] != issued["id"] {
				t.Errorf("%s list = %v, want the one issued", what, row)
			}
			if all := h.mustRun(what+" list", nil)[what+"s"].([]any); len(all) != 1 {
				t.Errorf("%s list of all users = %v, want one", what, all)
			}
			if none := h.mustRun(what+" list", args("user=bob"))[what+"s"].([]any); len(none) != 0 {
				t.Errorf("%s list of another = %v, want none", what, none)
			}
			id := strconv.FormatInt(int64(issued["id"].(float64)), 10)
			other := map[string]string{"token": "key", "key": "token"}[what]
			for _, wrong := range []struct{ path, id string }{
				{other + " revoke", id}, {what + " revoke", "999"}, {what + " revoke", "x"},
			} {
				if _, err := h.run(wrong.path, values{"id": {wrong.id}}); err == nil {
					t.Errorf("%s %s succeeded", wrong.path, wrong.id)
				}
			}
			h.resolves("labels", secret, nil)
			h.mustRun(what+" revoke", values{"id": {id}})
			h.resolves("labels", secret, identity.ErrRevoked)
			if left := h.mustRun(what+" list", nil)[what+"s"].([]any); len(left) != 0 {
				t.Errorf("%s list after revoke = %v, want none", what, left)
			}
		}
	})
}

func TestCommandsThatChangeUsers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		u, err := h.Identity.AddUser(ctx, identity.NewUser{Name: "ada", Password: "forgotten"})
		must(t, err)
		secret := h.Token("ada")
		_, session, err := h.Identity.StartSession(ctx, identity.SessionRequest{UserID: u.ID, TTL: time.Hour})
		must(t, err)

		h.mustRun("user disable", args("name=ada"))
		h.resolves("labels", secret, identity.ErrDisabled)
		h.mustRun("user enable", args("name=ada"))
		h.resolves("labels", secret, nil)

		made := h.mustRun("user password", args("name=ada"))
		_, err = h.Identity.CheckPassword(ctx, "ada", made["password"].(string))
		must(t, err)
		if _, _, err := h.Identity.SessionBySecret(ctx, session); !errors.Is(err, identity.ErrUnknown) {
			t.Errorf("the session from before the new password: %v, want ErrUnknown", err)
		}
		if out := h.mustRun("user password", args("name=ada password=chosen-by-hand")); out["password"] != nil {
			t.Errorf("a chosen password is repeated: %v", out)
		}

		org := h.mustRun("org add", args("name=acme enterprise=true"))
		h.mustRun("org member add", args("org=acme user=ada"))
		client := h.mustRun("client add", args("name=app type=device"))["client_id"].(string)
		issued := h.Issue(identity.IssueOptions{
			Kind: identity.KindAccess, Services: []string{"labels"}, UserID: u.ID, ClientID: client,
		})
		for _, step := range []struct {
			path   string
			values values
			want   bool
		}{
			{"org approve", values{"org": {"acme"}, "client": {client}}, true},
			{"org approve", values{"org": {"acme"}, "client": {client}, "withdraw": {"true"}}, false},
			{"org approve", values{"org": {"acme"}, "client": {client}}, true},
			{"org member remove", args("org=acme user=ada"), false},
		} {
			h.mustRun(step.path, step.values)
			if got := h.resolves("labels", issued, nil).ClientEnterprise; got != step.want {
				t.Errorf("after %s %v the client is enterprise: %t, want %t", step.path, step.values, got, step.want)
			}
		}
		if _, err := h.Identity.OrgRoleOf(ctx, int64(org["id"].(float64)), u.ID); !errors.Is(err, identity.ErrNotFound) {
			t.Errorf("the role after the removal: %v, want ErrNotFound", err)
		}
	})
}

// TestDefaultScopesOfTheCommand checks that "*" does not include what only the
// operator gives, and that the service's own name does.
func TestDefaultScopesOfTheCommand(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	h.User("ada")
	for service, want := range map[string]bool{identity.AllServices: false, "kms": true, "labels": false} {
		made := h.mustRun("token issue", values{"user": {"ada"}, "service": {service}})
		if scopes := fmt.Sprint(made["scopes"]); strings.Contains(scopes, "vault") != want {
			t.Errorf("token issue --service %s: scopes %s, want the operator's scope: %v", service, scopes, want)
		}
	}
	made := h.mustRun("token issue", args("user=ada service=* scope=vault"))
	if scopes := fmt.Sprint(made["scopes"]); scopes != "[vault]" {
		t.Errorf("token issue --service * --scope vault: scopes %s, want [vault]", scopes)
	}
	if _, err := h.run("key issue", args("user=ada service=kms")); err == nil {
		t.Error("key issue --service kms: issued, want it refused: keys list no scopes")
	}
	if _, err := h.run("client add", args("name=x type=device scope=vault")); err == nil {
		t.Error("client add --scope vault: added, want it refused: no application may ask for it")
	}
}

// Both commands refuse what breaks the rule for new passwords, an empty one too.
func TestCommandsCheckPasswords(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	h.User("ada")
	for _, path := range []string{"user add", "user password"} {
		for _, v := range []values{{"password": {"1234567"}}, {"password": {""}}, {"password-stdin": {"true"}}} {
			v["name"] = map[string][]string{"user add": {"bob"}, "user password": {"ada"}}[path]
			var failed *module.CommandError
			if _, err := h.run(path, v); !errors.As(err, &failed) || failed.Failure != module.Usage {
				t.Errorf("%s with %v: %v, want it refused", path, v, err)
			}
		}
	}
}
