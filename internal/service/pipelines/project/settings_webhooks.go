package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// The flags that change what the service does.
const (
	// FlagOSS shows jobs of a public repository to everyone.
	FlagOSS = "oss"
	// FlagAutoCancel stops jobs of a branch that newer pushes have overtaken.
	FlagAutoCancel = "autocancel-builds"
	// FlagSetStatus has another name in some dialects.
	FlagSetStatus = "set-status"
)

// defaultFlags are all flags with their values in a project that has not changed them.
func defaultFlags() map[string]bool {
	return map[string]bool{
		FlagOSS: true, FlagAutoCancel: true, "build-prs-only": false, "build-fork-prs": false,
		"forks-receive-secret-env-vars": false, FlagSetStatus: false, "osx": false, "trusty-beta": false,
	}
}

// Settings are what users have changed of a project.
type Settings struct {
	Flags map[string]bool `json:"flags,omitempty"`
	// Keys are further settings, kept for those who set them: addresses of chats and the like.
	Keys map[string]json.RawMessage `json:"keys,omitempty"`
}

// Settings reads the stored column. Text that cannot be read counts as unchanged; only this package writes it.
func (r Row) Settings() Settings {
	var s Settings
	if err := json.Unmarshal([]byte(r.settings), &s); err != nil {
		return Settings{}
	}
	return s
}

// Flag is the value of a flag.
func (s Settings) Flag(name string) bool {
	if v, ok := s.Flags[name]; ok {
		return v
	}
	return defaultFlags()[name]
}

// AllFlags are the values of all flags.
func (s Settings) AllFlags() map[string]bool { return merged(defaultFlags(), s.Flags) }

// Webhook is an address that is told of finished jobs.
type Webhook struct {
	URL string `json:"url"`
	// Secret signs what is sent; empty signs nothing.
	Secret string `json:"secret,omitempty"`
}

// Bounds of settings.
const (
	MaxWebhooks       = 5
	maxWebhookSecret  = 300
	maxSettingKeys    = 64
	maxSettingKeyName = 100
	maxSettings       = 64 << 10
)

// SettingsChange is what a caller sends. Nil leaves a part as it is.
type SettingsChange struct {
	Flags    map[string]bool
	Webhooks *[]Webhook
	Keys     map[string]json.RawMessage
}

// webhooksName is the place that sealed webhooks are bound to.
const webhooksName = "webhooks"

// Webhooks unseals the addresses of a project.
func (p *Projects) Webhooks(r Row) ([]Webhook, error) {
	if len(r.webhooks) == 0 {
		return nil, nil
	}
	plain, err := p.unseal(r.RepoID, webhooksName, r.webhooks)
	if err != nil {
		return nil, err
	}
	var hooks []Webhook
	if err := json.Unmarshal(plain, &hooks); err != nil {
		return nil, fmt.Errorf("webhooks of project %d: %w", r.RepoID, err)
	}
	return hooks, nil
}

// ChangeSettings changes what is given.
func (p *Projects) ChangeSettings(ctx context.Context, r forge.Repository, c SettingsChange) error {
	if err := c.check(p.world.Deliver); err != nil {
		return err
	}
	return p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		row, err := Ensure(ctx, tx, r.ID, p.now())
		if err != nil {
			return err
		}
		now := row.Settings()
		now.Flags, now.Keys = merged(now.Flags, c.Flags), merged(now.Keys, c.Keys)
		raw, err := json.Marshal(now)
		if err != nil {
			return err
		}
		if len(raw) > maxSettings || len(now.Keys) > maxSettingKeys {
			return errInvalid("the settings of a project have at most %d keys and 64 kB", maxSettingKeys)
		}
		row.settings = string(raw)
		if c.Webhooks != nil {
			if err := p.setWebhooks(ctx, tx, &row, *c.Webhooks); err != nil {
				return err
			}
		}
		return updateRow(ctx, tx, row)
	})
}

// setWebhooks gives a project other addresses. One that was taken away is told nothing more: what waits to be sent
// there is given up.
func (p *Projects) setWebhooks(ctx context.Context, tx *database.Tx, row *Row, hooks []Webhook) error {
	before, err := p.Webhooks(*row)
	if err != nil {
		return err
	}
	for _, old := range before {
		stays := slices.ContainsFunc(hooks, func(h Webhook) bool { return h.URL == old.URL })
		if stays {
			continue
		}
		if _, err := p.world.Deliver.Cancel(ctx, tx, p.NoticeChannel(row.RepoID, old.URL)); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(hooks)
	if err != nil {
		return err
	}
	row.webhooks = p.seal(row.RepoID, webhooksName, raw)
	return nil
}

// NoticeChannel keeps the messages of a project to an address in their order. Another address has its own channel: it
// must not wait for one that never answers.
func (p *Projects) NoticeChannel(repoID int64, address string) string {
	sum := sha256.Sum256([]byte(address))
	return p.service + "/" + strconv.FormatInt(repoID, 10) + "/" + hex.EncodeToString(sum[:8])
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

func (c SettingsChange) check(engine *deliver.Engine) error {
	known := defaultFlags()
	for name := range c.Flags {
		if _, ok := known[name]; !ok {
			return errInvalid("feature flag %s is not one of %v", refusal.Quote(name), slices.Sorted(maps.Keys(known)))
		}
	}
	for name := range c.Keys {
		if len(name) > maxSettingKeyName {
			return errInvalid("%s cannot be changed here", refusal.Quote(name))
		}
	}
	if c.Webhooks == nil {
		return nil
	}
	if len(*c.Webhooks) > MaxWebhooks {
		return errInvalid("a project has at most %d webhooks", MaxWebhooks)
	}
	for _, hook := range *c.Webhooks {
		if _, err := engine.ParseAddress(hook.URL); err != nil {
			return errInvalid("webhook %s is not an https address that can be called", refusal.Quote(hook.URL))
		}
		if len(hook.Secret) > maxWebhookSecret {
			return errInvalid("a webhook's secret has at most %d characters", maxWebhookSecret)
		}
	}
	return nil
}
