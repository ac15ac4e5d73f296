package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// The people of the demo world.
const (
	demoUser  = "ada"
	demoGuest = "grace"
	demoTeam  = "lyceum"
)

// demoFile is where the demo world's variables are written.
const demoFile = "demo.env"

// demoRedirect is where the demo web client may send browsers back to.
const demoRedirect = "http://127.0.0.1:9999/callback"

// demoTokens says which credential of demo.env opens which services. A
// variable whose services are not part of the program is left out.
func demoTokens() []demoToken {
	common := []string{"tasks", "labels", "articles", "calendar", "events", "analytics"}
	return []demoToken{
		{variable: "STOA_TOKEN", user: demoUser, kind: identity.KindPersonal, services: common},
		{variable: "STOA_GUEST_TOKEN", user: demoGuest, kind: identity.KindPersonal, services: common},
		{variable: "STOA_PIPELINE_TOKEN", user: demoUser, kind: identity.KindPersonal, services: []string{"pipelines"}},
		{variable: "STOA_API_KEY", user: demoUser, kind: identity.KindAPI, services: []string{"snapshots"}},
		{variable: "STOA_APP_KEY", user: demoUser, kind: identity.KindApplication, services: []string{"snapshots"}},
		{variable: "STOA_SCHEDULING_KEY", user: demoUser, kind: identity.KindAPI, services: []string{"apikeys"}},
		{variable: "STOA_MODEL_KEY", user: demoUser, kind: identity.KindAPI, services: []string{"generate"}},
	}
}

type demoToken struct {
	variable string
	user     string
	kind     identity.Kind
	services []string
}

// requirements are met by a credential that still opens one of the services.
func (t demoToken) requirements() []identity.Requirement {
	var list []identity.Requirement
	for _, service := range t.services {
		list = append(list, identity.Requirement{Service: service, Kinds: []identity.Kind{t.kind}})
	}
	return list
}

// SeedDemo fills a data folder that has no users yet and writes demo.env. A
// folder that already holds a demo world keeps it; one that holds anything
// else is refused.
func (a *App) SeedDemo(ctx context.Context) error {
	if err := a.config.CheckDemo(); err != nil {
		return err
	}
	_, err := os.Stat(a.demoPath())
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := a.demoMayBegin(ctx); err != nil {
		return err
	}
	env, err := a.demoPeople(ctx)
	if err != nil {
		return fmt.Errorf("seed demo: %w", err)
	}
	d := &module.Demo{Env: env, User: demoUser, Guest: demoGuest, Team: demoTeam}
	for _, m := range a.modules {
		if m.Demo == nil {
			continue
		}
		if err := m.Demo(ctx, d); err != nil {
			return fmt.Errorf("seed demo: %s: %w", m.Name, err)
		}
	}
	return errors.Join(a.writeDemo(d.Env), os.Remove(a.demoPath()+demoUnfinished))
}

// demoUnfinished ends the name of a file that lies beside demo.env while the
// world is being made: a folder whose process was killed then is recognized.
const demoUnfinished = ".unfinished"

// demoMayBegin refuses a folder that holds something else, or a demo world that
// was never finished.
func (a *App) demoMayBegin(ctx context.Context) error {
	if _, err := os.Stat(a.demoPath() + demoUnfinished); err == nil {
		return module.Fail(module.Conflict, "remove the folder and start again, or choose another with --data",
			"the demo world in %s was interrupted while it was being made", a.config.Data)
	}
	users, err := a.identity.CountUsers(ctx)
	if err != nil {
		return err
	}
	if users > 0 {
		return module.Fail(module.Conflict, "choose an empty folder with --data, or leave --demo out",
			"%s already holds users and is not a demo world", a.config.Data)
	}
	return os.WriteFile(a.demoPath()+demoUnfinished, nil, 0o600)
}

// demoPeople makes the users, the team, the clients and the credentials.
func (a *App) demoPeople(ctx context.Context) (map[string]string, error) {
	env := map[string]string{
		"STOA_USER": demoUser, "STOA_PASSWORD": a.world.IDs.Hex(20),
		"STOA_GUEST": demoGuest, "STOA_TEAM": demoTeam,
	}
	user, err := a.identity.AddUser(ctx, identity.NewUser{
		Name: demoUser, DisplayName: "Ada", Email: "ada@example.com", Password: env["STOA_PASSWORD"], Admin: true,
	})
	if err != nil {
		return nil, err
	}
	guest, err := a.identity.AddUser(ctx, identity.NewUser{
		Name: demoGuest, DisplayName: "Grace", Email: "grace@example.com", Password: a.world.IDs.Hex(20),
	})
	if err != nil {
		return nil, err
	}
	if err := a.demoGroups(ctx, user.ID, guest.ID); err != nil {
		return nil, err
	}
	if err := a.demoClients(ctx, env, user.ID); err != nil {
		return nil, err
	}
	return env, a.demoCredentials(ctx, env)
}

// demoCredentials issues every credential that env does not hold yet or that
// no longer works: trying out key refresh, for one, uses a key up.
func (a *App) demoCredentials(ctx context.Context, env map[string]string) error {
	for _, t := range demoTokens() {
		if secret := env[t.variable]; secret != "" {
			if _, err := a.identity.Verify(ctx, secret, t.requirements()...); err == nil {
				continue
			}
		}
		user, err := a.identity.UserByName(ctx, t.user)
		if err != nil {
			return err
		}
		if err := a.demoCredential(ctx, env, t, user.ID); err != nil {
			return fmt.Errorf("%s: %w", t.variable, err)
		}
	}
	return nil
}

func (a *App) demoGroups(ctx context.Context, user, guest int64) error {
	team := identity.NewTeam{Name: demoTeam, Title: "Lyceum", OwnerID: user, MemberIDs: []int64{guest}}
	if _, err := a.identity.AddTeam(ctx, team); err != nil {
		return err
	}
	org, err := a.identity.AddOrg(ctx, demoTeam, false)
	if err != nil {
		return err
	}
	return errors.Join(
		a.identity.SetOrgMember(ctx, org.ID, user, identity.OrgOwner),
		a.identity.SetOrgMember(ctx, org.ID, guest, identity.OrgMember),
	)
}

func (a *App) demoClients(ctx context.Context, env map[string]string, owner int64) error {
	for _, c := range []struct {
		variable string
		client   identity.NewClient
	}{
		{"STOA_DEVICE_CLIENT", identity.NewClient{Name: "Demo television", Type: identity.ClientDevice, OwnerID: owner}},
		{"STOA_WEB_CLIENT", identity.NewClient{
			Name: "Demo website", Type: identity.ClientWeb, OwnerID: owner, RedirectURIs: []string{demoRedirect},
		}},
	} {
		client, secret, err := a.identity.AddClient(ctx, c.client)
		if err != nil {
			return err
		}
		env[c.variable+"_ID"], env[c.variable+"_SECRET"] = client.ID, secret
	}
	return nil
}

// demoCredential issues one credential for those of its services that exist.
func (a *App) demoCredential(ctx context.Context, env map[string]string, t demoToken, user int64) error {
	var present, scopes []string
	for _, m := range a.modules {
		if !slices.Contains(t.services, m.Name) {
			continue
		}
		present = append(present, m.Name)
		for _, s := range m.Scopes {
			scopes = append(scopes, s.Name)
		}
	}
	if len(present) == 0 {
		return nil
	}
	var (
		secret string
		err    error
	)
	if t.kind == identity.KindAPI || t.kind == identity.KindApplication {
		_, secret, err = a.identity.IssueKey(ctx, identity.KeyOptions{
			Service: present[0], Kind: t.kind, UserID: user, Note: "demo",
		})
	} else {
		_, secret, err = a.identity.IssueToken(ctx, identity.IssueOptions{
			Kind: t.kind, Services: present, Scopes: scopes, UserID: user, Note: "demo",
		})
	}
	env[t.variable] = secret
	return err
}

func (a *App) demoPath() string { return filepath.Join(a.config.Data, demoFile) }

// DemoEnv reads demo.env of this app's data folder.
func (a *App) DemoEnv() (map[string]string, error) { return ReadDemoEnv(a.config.Data) }

// ReadDemoEnv reads the demo.env of a data folder.
func ReadDemoEnv(data string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(data, demoFile))
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			env[name] = strings.Trim(value, "'")
		}
	}
	return env, nil
}

// RefreshDemo records where the demo world can be reached this time, and
// replaces credentials that were used up.
func (a *App) RefreshDemo(ctx context.Context) (map[string]string, error) {
	env, err := a.DemoEnv()
	if err != nil {
		return nil, err
	}
	if err := a.demoCredentials(ctx, env); err != nil {
		return nil, fmt.Errorf("refresh demo: %w", err)
	}
	env["STOA_URL"], env["STOA_HTTPS_URL"] = a.URL(), a.HTTPSURL()
	env["STOA_CA_FILE"], env["STOA_KMS_SOCKET"] = a.CAFile(), a.config.Listen.KMS
	return env, a.writeDemo(env)
}

// writeDemo replaces demo.env in one step; it holds secrets.
func (a *App) writeDemo(env map[string]string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "%s='%s'\n", name, env[name])
	}
	temporary := a.demoPath() + ".new"
	if err := os.WriteFile(temporary, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, a.demoPath())
}

// CheckDemo refuses to show a demo world to others. It is asked before anything
// is opened, so that a refusal leaves no folder behind.
func (c Config) CheckDemo() error {
	if c.Listen.loopbackOnly() {
		return nil
	}
	return module.Fail(module.Config, "use --listen 127.0.0.1:8080, or leave --demo out",
		"the demo world is served on loopback only, because its credentials lie in a file")
}

// loopbackOnly reports whether every listener is out of reach for others.
func (c ListenConfig) loopbackOnly() bool {
	for _, address := range []string{c.HTTP, c.HTTPS} {
		host, _, err := net.SplitHostPort(address)
		if address == "" || host == "localhost" {
			continue
		}
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return false
		}
	}
	return true
}

// FirstAdmin makes an administrator when there are no users yet and returns
// the password, which is shown once; otherwise it returns nothing. Neither does
// it when the operator has chosen the password.
func (a *App) FirstAdmin(ctx context.Context) (name, password string, err error) {
	users, err := a.identity.CountUsers(ctx)
	if err != nil || users > 0 {
		return "", "", err
	}
	admin := identity.NewUser{Name: "admin", DisplayName: "Administrator", Password: a.world.IDs.Hex(20), Admin: true}
	file := a.config.AdminPasswordFile
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("%w: admin_password_file: %w", ErrConfig, err)
		}
		if admin.Password = strings.TrimSpace(string(text)); len(admin.Password) < 12 {
			return "", "", fmt.Errorf("%w: admin_password_file: the password must have at least 12 characters", ErrConfig)
		}
	}
	if _, err := a.identity.AddUser(ctx, admin); err != nil || file != "" {
		return "", "", err
	}
	return admin.Name, admin.Password, nil
}
