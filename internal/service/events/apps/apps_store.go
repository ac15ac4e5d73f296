package apps

import (
	"context"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

const appColumns = `SELECT id, client_id, slug, owner_kind, owner_id, permissions, created_at FROM events_apps`

func scanApp(s database.Scanner) (app App, err error) {
	var kind, permissions string
	err = s.Scan(&app.ID, &app.ClientID, &app.Slug, &kind, &app.Owner.ID, &permissions,
		database.ScanTime(&app.CreatedAt))
	app.Owner.Kind, app.Permissions = forge.OwnerKind(kind), strings.Fields(permissions)
	return app, err
}

func (a *Apps) insert(ctx context.Context, app App) (id int64, err error) {
	err = a.host.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		id, err = singlerow.Insert(ctx, tx, "id", `
			INSERT INTO events_apps (client_id, slug, owner_kind, owner_id, permissions, created_at)
			VALUES ($1, $2, $3, $4, $5, $6)`,
			app.ClientID, app.Slug, string(app.Owner.Kind), app.Owner.ID, strings.Join(app.Permissions, " "),
			database.Time(app.CreatedAt))
		return err
	})
	return id, err
}

// appBy finds an app by its number, its slug or its client id, which cannot be taken
// for one another but for a slug of digits: there the number wins.
func appBy(ctx context.Context, q database.Querier, text string) (App, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		id = 0
	}
	return database.One(ctx, q, scanApp, appColumns+` WHERE id = $1 OR slug = $2 OR client_id = $2
		ORDER BY CASE WHEN id = $1 THEN 0 ELSE 1 END LIMIT 1`, id, text)
}

func appByClient(ctx context.Context, q database.Querier, clientID string) (App, error) {
	return database.One(ctx, q, scanApp, appColumns+` WHERE client_id = $1`, clientID)
}

func appBySlug(ctx context.Context, q database.Querier, slug string) (App, error) {
	return database.One(ctx, q, scanApp, appColumns+` WHERE slug = $1`, slug)
}

func allApps(ctx context.Context, q database.Querier) ([]App, error) {
	return database.All(ctx, q, scanApp, appColumns+` ORDER BY id`)
}

func slugTaken(ctx context.Context, q database.Querier, slug string) (bool, error) {
	if reserved(slug) {
		return true, nil
	}
	var n int64
	err := q.QueryRow(ctx, `SELECT COUNT(*) FROM events_apps WHERE slug = $1`, slug).Scan(&n)
	return n > 0, err
}

// keysOf are the public keys of an app.
func keysOf(ctx context.Context, q database.Querier, appID int64) ([][]byte, error) {
	scan := func(s database.Scanner) (key []byte, err error) { return key, s.Scan(&key) }
	return database.All(ctx, q, scan, `SELECT public_key FROM events_app_keys WHERE app_id = $1 ORDER BY id`, appID)
}

func insertKey(ctx context.Context, tx *database.Tx, appID int64, public []byte, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO events_app_keys (app_id, public_key, created_at) VALUES ($1, $2, $3)`,
		appID, public, database.Time(now))
	return err
}

func deleteKeys(ctx context.Context, q database.Querier, appID int64) error {
	_, err := q.Exec(ctx, `DELETE FROM events_app_keys WHERE app_id = $1`, appID)
	return err
}
