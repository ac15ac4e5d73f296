package demo

import (
	"context"
	"fmt"
	"slices"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// credential is one variable of demo.env with the services that it opens.
type credential struct {
	module.DemoCredential
	services, scopes []string
}

// credentials joins what the modules name by the same variable.
func credentials(modules []module.Module) []credential {
	var list []credential
	for _, m := range modules {
		for _, d := range m.DemoCredentials {
			at := slices.IndexFunc(list, func(c credential) bool { return c.Variable == d.Variable })
			if at < 0 {
				at, list = len(list), append(list, credential{DemoCredential: d})
			}
			list[at].services = append(list[at].services, m.Name)
			for _, s := range m.Scopes {
				list[at].scopes = append(list[at].scopes, s.Name)
			}
		}
	}
	return list
}

// requirements are met by a credential that still opens one of the services.
func (c credential) requirements() []identity.Requirement {
	var list []identity.Requirement
	for _, service := range c.services {
		list = append(list, identity.Requirement{Service: service, Kinds: []identity.Kind{c.Kind}})
	}
	return list
}

// issueMissing issues every credential that env does not hold yet or that no longer
// works: trying out key refresh, for one, uses a key up.
func (w *World) issueMissing(ctx context.Context, env map[string]string) error {
	for _, c := range credentials(w.Modules) {
		if secret := env[c.Variable]; secret != "" {
			if w.Identity.StillGood(ctx, secret, c.requirements()...) == nil {
				continue
			}
		}
		name := userName
		if c.Guest {
			name = guestName
		}
		user, err := w.Identity.UserByName(ctx, name)
		if err != nil {
			return err
		}
		if env[c.Variable], err = w.issue(ctx, c, user.ID); err != nil {
			return fmt.Errorf("%s: %w", c.Variable, err)
		}
	}
	return nil
}

func (w *World) issue(ctx context.Context, c credential, user int64) (secret string, err error) {
	if c.Kind == identity.KindAPI || c.Kind == identity.KindApplication {
		_, secret, err = w.Identity.IssueKey(ctx, identity.KeyOptions{
			Service: c.services[0], Kind: c.Kind, UserID: user, Note: c.note(),
		})
		return secret, err
	}
	_, secret, err = w.Identity.IssueToken(ctx, identity.IssueOptions{
		Kind: c.Kind, Services: c.services, Scopes: c.scopes, UserID: user, Note: c.note(),
	})
	return secret, err
}

// note is what lists of tokens and keys call it: the variable that holds it, and whose it
// is or what it opens.
func (c credential) note() string {
	switch {
	case c.Guest:
		return "demo: " + c.Variable + ", the other user's"
	case len(c.services) == 1:
		return "demo: " + c.Variable + ", for " + c.services[0]
	}
	return "demo: " + c.Variable + ", for examples and clients"
}
