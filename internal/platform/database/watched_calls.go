package database

import "context"

// Call says which method of a DB is under way.
type Call string

// The calls.
const (
	CallWrite, CallRead Call = "write", "read" //nolint:revive // what is above is about all four
	CallQuery, CallPing Call = "query", "ping" //nolint:revive // likewise
)

// call runs one call until the database is known to stand still.
func (d *DB) call(ctx context.Context, name Call, run func(context.Context) error) error {
	watched, ctx, err := d.live.Begin(ctx)
	if err != nil {
		return err
	}
	if around := d.opts.Around; around != nil {
		return watched.End(around(ctx, name, func() error { return run(ctx) }))
	}
	return watched.End(run(ctx))
}

// watchedQuery is a call that lasts until its rows are closed.
func (d *DB) watchedQuery(ctx context.Context, sql string, args []any) (rows *Rows, err error) {
	if around := d.opts.Around; around != nil {
		if err := around(ctx, CallQuery, func() error { return nil }); err != nil {
			return nil, err
		}
	}
	watched, ctx, err := d.live.Begin(ctx)
	if err != nil {
		return nil, err
	}
	if rows, err = d.back.query(ctx, sql, args); err != nil {
		return nil, watched.End(err)
	}
	if watched != nil {
		release := rows.release
		rows.release = func(err error) {
			release(err)
			rows.err = watched.End(rows.err)
		}
	}
	return rows, nil
}
