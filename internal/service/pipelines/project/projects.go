package project

import (
	"context"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/world"
)

// Projects reads and changes projects.
type Projects struct {
	world    *world.World
	identity *identity.Identity
	forge    *forge.Forge
	// service is the name under which tokens and secrets belong to the service.
	service string
}

// New makes the projects of a service and tells the forge which repository a project token belongs to.
func New(w *world.World, identity *identity.Identity, repositories *forge.Forge, service string) *Projects {
	repositories.Bind(func(ctx context.Context, tokenID int64) (int64, error) {
		return repoOfToken(ctx, w.DB, tokenID)
	})
	return &Projects{world: w, identity: identity, forge: repositories, service: service}
}

func (p *Projects) now() time.Time { return p.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// Lane is the key under which a project and its jobs change, one change after the other.
func Lane(repoID int64) string { return "pipelines/project/" + strconv.FormatInt(repoID, 10) }

func (p *Projects) change(ctx context.Context, repoID int64, fn func(context.Context, *database.Tx) error) error {
	return p.world.DB.WriteKeyed(ctx, Lane(repoID), func(ctx context.Context, tx *database.Tx) error {
		if err := p.StillThere(ctx, tx, repoID); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// StillThere refuses to change a project whose repository was deleted since it was found: what is written after the
// deletion would never be removed.
func (p *Projects) StillThere(ctx context.Context, tx *database.Tx, repoID int64) error {
	_, err := p.forge.Hold(ctx, tx, repoID)
	if errors.Is(err, forge.ErrNotFound) {
		return errNotFound("Project not found")
	}
	return err
}

// View is a project with its settings.
type View struct {
	Repo     forge.Repository
	Enabled  bool
	Followed bool
	Settings Settings
	Webhooks []Webhook
	HostKeys []Key
	// Usable is set when there is a key for checkouts.
	Usable bool
}

// View reads a project. The row of one to which nothing has happened yet is missing.
func (p *Projects) View(ctx context.Context, r forge.Repository, userID int64) (View, error) {
	v := View{Repo: r, Enabled: true}
	row, err := ByID(ctx, p.world.DB, r.ID)
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return v, err
	}
	if err == nil {
		v.Enabled, v.Settings = row.Enabled, row.Settings()
		if v.Webhooks, err = p.Webhooks(row); err != nil {
			return v, err
		}
	}
	if v.Followed, err = isFollowed(ctx, p.world.DB, userID, r.ID); err != nil {
		return v, err
	}
	if v.HostKeys, err = hostKeys(ctx, p.world.DB, r.ID); err != nil {
		return v, err
	}
	keys, err := checkoutKeys(ctx, p.world.DB, r.ID)
	v.Usable = len(keys) > 0
	return v, err
}

// Enable turns a project on and gives it a key for checkouts unless it has one.
func (p *Projects) Enable(ctx context.Context, r forge.Repository) error {
	k, err := p.newCheckoutKey(r, DeployKey, "")
	if err != nil {
		return err
	}
	return p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		if err := p.setEnabled(ctx, tx, r, true); err != nil {
			return err
		}
		keys, err := checkoutKeys(ctx, tx, r.ID)
		if err == nil && len(keys) == 0 {
			err = insertKey(ctx, tx, k)
		}
		return err
	})
}

// Disable turns a project off: pushes to it make no jobs.
func (p *Projects) Disable(ctx context.Context, r forge.Repository) error {
	return p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		return p.setEnabled(ctx, tx, r, false)
	})
}

func (p *Projects) setEnabled(ctx context.Context, tx *database.Tx, r forge.Repository, enabled bool) error {
	row, err := Ensure(ctx, tx, r.ID, p.now())
	if err != nil {
		return err
	}
	row.Enabled = enabled
	return updateRow(ctx, tx, row)
}

// Forget deletes the rows of a repository that is deleted in the same transaction, and revokes its tokens.
func (p *Projects) Forget(ctx context.Context, tx *database.Tx, repoID int64) error {
	tokens, err := listTokens(ctx, tx, repoID)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if _, err := p.identity.RevokeTokenIn(ctx, tx, t.ID); err != nil {
			return err
		}
	}
	return deleteRows(ctx, tx, repoID)
}
