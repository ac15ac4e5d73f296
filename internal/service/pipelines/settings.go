package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
)

// The flags that change what the service does.
const (
	// flagOSS shows jobs of a public repository to everybody.
	flagOSS = "oss"
	// flagAutoCancel stops jobs of a branch that newer pushes have overtaken.
	flagAutoCancel = "autocancel-builds"
)

// defaultFlags are all flags with what they are unless somebody changes them.
func defaultFlags() map[string]bool {
	return map[string]bool{
		flagOSS: true, flagAutoCancel: true, "build-prs-only": false, "build-fork-prs": false,
		"forks-receive-secret-env-vars": false, "set-status": false, "osx": false, "trusty-beta": false,
	}
}

// settings are what people have changed of a project.
type settings struct {
	Flags map[string]bool `json:"flags,omitempty"`
	// Keys are further settings, kept for those who set them: addresses of
	// chats and the like.
	Keys map[string]json.RawMessage `json:"keys,omitempty"`
}

// parseSettings reads a stored column. What cannot be read counts as unchanged;
// only this package writes it.
func parseSettings(text string) settings {
	var s settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return settings{}
	}
	return s
}

func (s settings) flag(name string) bool {
	if v, ok := s.Flags[name]; ok {
		return v
	}
	return defaultFlags()[name]
}

// flags are all of them in order.
func (s settings) flags() map[string]bool {
	all := defaultFlags()
	maps.Copy(all, s.Flags)
	return all
}

// Webhook is an address that is told of finished jobs.
type Webhook struct {
	URL string `json:"url"`
	// Secret signs what is sent; empty signs nothing.
	Secret string `json:"secret,omitempty"`
}

// The bounds of settings.
const (
	maxWebhooks    = 5
	maxSettingKeys = 64
	maxSettings    = 64 << 10
)

// SettingsChange is what a caller sends. Nil leaves a part as it is.
type SettingsChange struct {
	Flags    map[string]bool
	Webhooks *[]Webhook
	Keys     map[string]json.RawMessage
}

// ProjectView is a project with its settings, for those who may see them.
type ProjectView struct {
	Repo     forge.Repository
	Enabled  bool
	Followed bool
	Settings settings
	Webhooks []Webhook
	HostKeys []Key
	Usable   bool
}

// Project is what is known of a project.
func (s *Service) Project(ctx context.Context, r forge.Repository, userID int64) (ProjectView, error) {
	v := ProjectView{Repo: r, Enabled: true}
	p, err := projectByID(ctx, s.world.DB, r.ID)
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return v, err
	}
	if err == nil {
		v.Enabled, v.Settings = p.enabled, parseSettings(p.settings)
		if v.Webhooks, err = s.openWebhooks(p); err != nil {
			return v, err
		}
	}
	if v.Followed, err = isFollowed(ctx, s.world.DB, userID, r.ID); err != nil {
		return v, err
	}
	if v.HostKeys, err = hostKeys(ctx, s.world.DB, r.ID); err != nil {
		return v, err
	}
	keys, err := checkoutKeys(ctx, s.world.DB, r.ID)
	v.Usable = len(keys) > 0
	return v, err
}

const webhooksName = "webhooks"

func (s *Service) openWebhooks(p project) ([]Webhook, error) {
	if len(p.webhooks) == 0 {
		return nil, nil
	}
	plain, err := s.unseal(p.repoID, webhooksName, p.webhooks)
	if err != nil {
		return nil, err
	}
	var hooks []Webhook
	if err := json.Unmarshal(plain, &hooks); err != nil {
		return nil, fmt.Errorf("webhooks of project %d: %w", p.repoID, err)
	}
	return hooks, nil
}

// ChangeSettings changes what is given.
func (s *Service) ChangeSettings(ctx context.Context, r forge.Repository, c SettingsChange) error {
	if err := c.check(); err != nil {
		return err
	}
	return s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		if err := ensureProject(ctx, tx, r.ID, s.now()); err != nil {
			return err
		}
		p, err := projectByID(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		now := parseSettings(p.settings)
		now.Flags = merged(now.Flags, c.Flags)
		now.Keys = merged(now.Keys, c.Keys)
		raw, err := json.Marshal(now)
		if err != nil {
			return err
		}
		if len(raw) > maxSettings || len(now.Keys) > maxSettingKeys {
			return errInvalid("the settings of a project have at most 64 keys and 64 kB")
		}
		p.settings = string(raw)
		if c.Webhooks != nil {
			raw, err := json.Marshal(*c.Webhooks)
			if err != nil {
				return err
			}
			p.webhooks = s.seal(r.ID, webhooksName, raw)
		}
		return updateProject(ctx, tx, p)
	})
}

func merged[V any](old, added map[string]V) map[string]V {
	if len(added) == 0 {
		return old
	}
	all := map[string]V{}
	maps.Copy(all, old)
	maps.Copy(all, added)
	return all
}

func (c SettingsChange) check() error {
	known := defaultFlags()
	for name := range c.Flags {
		if _, ok := known[name]; !ok {
			return errInvalid("feature flag " + clip(name) + " is not one of " + fmt.Sprint(slices.Sorted(maps.Keys(known))))
		}
	}
	if c.Webhooks == nil {
		return nil
	}
	if len(*c.Webhooks) > maxWebhooks {
		return errInvalid("a project has at most 5 webhooks")
	}
	for _, hook := range *c.Webhooks {
		if _, err := deliver.ParseAddress(hook.URL); err != nil {
			return errInvalid("webhook " + clip(hook.URL) + " is no https address that can be called")
		}
		if len(hook.Secret) > 300 {
			return errInvalid("a webhook's secret has at most 300 characters")
		}
	}
	return nil
}
