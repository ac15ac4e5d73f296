package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/module"
)

// The accounts of the demo world.
const (
	userName  = "ada"
	guestName = "grace"
	teamName  = "lyceum"
)

// redirectURI is the demo web client's.
const redirectURI = "http://127.0.0.1:9999/callback"

// World is the demo world of a data folder.
type World struct {
	// Dir is the data folder.
	Dir      string
	Identity *identity.Identity
	IDs      *ids.Source
	Modules  []module.Module
}

// Seed fills a data folder that has no users yet and writes demo.env. A folder that
// already holds a demo world keeps it; one that holds anything else is refused.
func (w *World) Seed(ctx context.Context) error {
	_, err := os.Stat(w.path())
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	env, err := w.addAccounts(ctx)
	if err != nil {
		return fmt.Errorf("seed demo: %w", err)
	}
	d := &module.Demo{Env: env, User: userName, Guest: guestName, Team: teamName}
	for _, m := range w.Modules {
		if m.Demo == nil {
			continue
		}
		if err := m.Demo(ctx, d); err != nil {
			return fmt.Errorf("seed demo: %s: %w", m.Name, err)
		}
	}
	if err := WriteEnv(w.Dir, d.Env); err != nil {
		return err
	}
	return os.Remove(w.path() + unfinished)
}

// unfinished ends the name of a file that lies beside demo.env while the world is
// being made: a folder whose process was killed then is recognized.
const unfinished = ".unfinished"

// begin refuses a folder that holds something else, or a demo world that was never
// finished.
func (w *World) begin(ctx context.Context) error {
	if _, err := os.Stat(w.path() + unfinished); err == nil {
		return module.Fail(module.Conflict, "remove the folder and start again, or choose another with --data",
			"the demo world in %s was interrupted while it was being made", w.Dir)
	}
	users, err := w.Identity.CountUsers(ctx)
	if err != nil {
		return err
	}
	if users > 0 {
		return module.Fail(module.Conflict, "choose an empty folder with --data, or leave --demo out",
			"%s already holds users and is not a demo world", w.Dir)
	}
	return os.WriteFile(w.path()+unfinished, nil, 0o600)
}

// addAccounts adds the users, the team, the clients and the credentials.
func (w *World) addAccounts(ctx context.Context) (map[string]string, error) {
	env := map[string]string{
		"STOA_USER": userName, "STOA_PASSWORD": w.IDs.Hex(20), "STOA_GUEST": guestName, "STOA_TEAM": teamName,
	}
	user, err := w.Identity.AddUser(ctx, identity.NewUser{
		Name: userName, DisplayName: "Ada", Email: "ada@example.com", Password: env["STOA_PASSWORD"], Admin: true,
	})
	if err != nil {
		return nil, err
	}
	guest, err := w.Identity.AddUser(ctx, identity.NewUser{
		Name: guestName, DisplayName: "Grace", Email: "grace@example.com", Password: w.IDs.Hex(20),
	})
	if err != nil {
		return nil, err
	}
	if err := w.addGroups(ctx, user.ID, guest.ID); err != nil {
		return nil, err
	}
	if err := w.addClients(ctx, env, user.ID); err != nil {
		return nil, err
	}
	return env, w.issueMissing(ctx, env)
}

func (w *World) addGroups(ctx context.Context, user, guest int64) error {
	team := identity.NewTeam{Name: teamName, Title: "Lyceum", OwnerID: user, MemberIDs: []int64{guest}}
	if _, err := w.Identity.AddTeam(ctx, team); err != nil {
		return err
	}
	org, err := w.Identity.AddOrg(ctx, teamName, false)
	if err != nil {
		return err
	}
	return errors.Join(
		w.Identity.SetOrgMember(ctx, org.ID, user, identity.OrgOwner),
		w.Identity.SetOrgMember(ctx, org.ID, guest, identity.OrgMember),
	)
}

func (w *World) addClients(ctx context.Context, env map[string]string, owner int64) error {
	for _, c := range []struct {
		variable string
		client   identity.NewClient
	}{
		{"STOA_DEVICE_CLIENT", identity.NewClient{Name: "Demo television", Type: identity.ClientDevice, OwnerID: owner}},
		{"STOA_WEB_CLIENT", identity.NewClient{
			Name: "Demo website", Type: identity.ClientWeb, OwnerID: owner, RedirectURIs: []string{redirectURI},
		}},
	} {
		client, secret, err := w.Identity.AddClient(ctx, c.client)
		if err != nil {
			return err
		}
		env[c.variable+"_ID"], env[c.variable+"_SECRET"] = client.ID, secret
	}
	return nil
}

// Refresh records where the demo world can be reached this time, and replaces
// credentials that no longer work.
func (w *World) Refresh(ctx context.Context, addresses map[string]string) (map[string]string, error) {
	env, err := ReadEnv(w.Dir)
	if err != nil {
		return nil, err
	}
	if err := w.issueMissing(ctx, env); err != nil {
		return nil, fmt.Errorf("refresh demo: %w", err)
	}
	for name, value := range addresses {
		env[name] = value
	}
	return env, WriteEnv(w.Dir, env)
}

func (w *World) path() string { return filepath.Join(w.Dir, EnvFile) }
