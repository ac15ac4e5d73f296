package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
	"stoa.dev/stoa/internal/service/events/operation"
)

// receiver is the sealed part of a hook.
type receiver struct{ Address, Secret string }

// aad binds a sealed receiver to whose hook it is.
func (o owner) aad() []byte { return fmt.Appendf(nil, "%s/%d", o.Kind, o.ID) }

func (k *Hooks) sealed(h Hook) ([]byte, error) {
	text, err := json.Marshal(receiver{h.Address, h.Secret})
	return k.secrets.Seal(text, h.Owner.aad()), err
}

func (k *Hooks) scan(s database.Scanner) (h Hook, err error) {
	var events string
	var sealed []byte
	err = s.Scan(&h.ID, &h.Owner.Kind, &h.Owner.ID, &h.Active, &h.Form, &events, &sealed, &h.CreatedBy,
		database.ScanTime(&h.CreatedAt), database.ScanTime(&h.UpdatedAt))
	if err != nil {
		return h, err
	}
	plain, err := k.secrets.Open(sealed, h.Owner.aad())
	if err != nil {
		return h, fmt.Errorf("open the receiver of hook %d: %w", h.ID, err)
	}
	var to receiver
	if err := json.Unmarshal(plain, &to); err != nil {
		return h, fmt.Errorf("read the receiver of hook %d: %w", h.ID, err)
	}
	h.Address, h.Secret = to.Address, to.Secret
	return h, json.Unmarshal([]byte(events), &h.Events)
}

const columns = `SELECT id, owner_kind, owner_id, active, form, events, sealed, created_by, created_at, updated_at
	FROM events_hooks WHERE owner_kind = $1 AND owner_id = $2`

// hooksOf are all of an owner: there are few.
func (k *Hooks) hooksOf(ctx context.Context, q database.Querier, o owner) ([]Hook, error) {
	return database.All(ctx, q, k.scan, columns+` ORDER BY id`, o.Kind, o.ID)
}

func (k *Hooks) hookByID(ctx context.Context, q database.Querier, o owner, id int64) (Hook, error) {
	return database.One(ctx, q, k.scan, columns+` AND id = $3`, o.Kind, o.ID, id)
}

func (k *Hooks) insert(ctx context.Context, tx *database.Tx, h *Hook) error {
	events, err := json.Marshal(h.Events)
	if err != nil {
		return err
	}
	sealed, err := k.sealed(*h)
	if err != nil {
		return err
	}
	h.ID, err = singlerow.Insert(ctx, tx, "id", `
		INSERT INTO events_hooks (owner_kind, owner_id, active, form, events, sealed, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		h.Owner.Kind, h.Owner.ID, h.Active, h.Form, string(events), sealed, h.CreatedBy,
		database.Time(h.CreatedAt), database.Time(h.UpdatedAt))
	return err
}

func (k *Hooks) update(ctx context.Context, tx *database.Tx, h Hook) error {
	events, err := json.Marshal(h.Events)
	if err != nil {
		return err
	}
	sealed, err := k.sealed(h)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE events_hooks SET active = $2, form = $3, events = $4, sealed = $5, updated_at = $6, created_by = $7
		WHERE id = $1`,
		h.ID, h.Active, h.Form, string(events), sealed, database.Time(h.UpdatedAt), h.CreatedBy)
	return err
}

func deleteHook(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM events_hooks WHERE id = $1`, id)
	return err
}

// DeleteAll removes the hooks of a repository that is gone, and gives up what they have not sent.
func (k *Hooks) DeleteAll(ctx context.Context, tx *database.Tx, repoID int64) error {
	ids, err := database.All(ctx, tx, func(s database.Scanner) (id int64, err error) {
		err = s.Scan(&id)
		return id, err
	}, `SELECT id FROM events_hooks WHERE owner_kind = $1 AND owner_id = $2 ORDER BY id`, repository, repoID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := k.world.Deliver.Cancel(ctx, tx, lane(id)); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM events_hooks WHERE owner_kind = $1 AND owner_id = $2`, repository, repoID)
	return err
}

func insertDelivery(ctx context.Context, tx *database.Tx, d delivery) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO events_hook_deliveries (hook_id, guid, message, word, action, repo_id, again, problem, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		d.HookID, d.GUID, d.Message, d.Word, d.Action, d.RepoID, d.Again, d.Problem, database.Time(d.At))
	return err
}

func scanDelivery(s database.Scanner) (d delivery, err error) {
	err = s.Scan(&d.ID, &d.HookID, &d.GUID, &d.Message, &d.Word, &d.Action, &d.RepoID, &d.Again, &d.Problem,
		database.ScanTime(&d.At))
	return d, err
}

const deliveryColumns = `SELECT id, hook_id, guid, message, word, action, repo_id, again, problem, created_at
	FROM events_hook_deliveries WHERE hook_id = $1`

// listDeliveries is a page of the deliveries of a hook, newest first, and how many there are.
func listDeliveries(
	ctx context.Context, q database.Querier, hookID int64, at operation.Page,
) (list []delivery, total int64, err error) {
	list, err = database.All(ctx, q, scanDelivery, deliveryColumns+` ORDER BY id DESC LIMIT $2 OFFSET $3`,
		hookID, at.Size, at.Offset)
	if err != nil {
		return nil, 0, err
	}
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM events_hook_deliveries WHERE hook_id = $1`, hookID).Scan(&total)
	return list, total, err
}

func deliveryByID(ctx context.Context, q database.Querier, hookID, id int64) (delivery, error) {
	return database.One(ctx, q, scanDelivery, deliveryColumns+` AND id = $2`, hookID, id)
}

// Sweep forgets deliveries that are too old to be listed, up to limit of them.
func Sweep(ctx context.Context, tx *database.Tx, now time.Time, limit int) (int64, error) {
	result, err := tx.Exec(ctx, `
		DELETE FROM events_hook_deliveries WHERE created_at < $1 AND id IN
			(SELECT id FROM events_hook_deliveries ORDER BY id LIMIT $2)`, database.Time(now.Add(-keep)), limit)
	return result.RowsAffected, err
}
