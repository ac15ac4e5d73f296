package database

import "context"

// Querier runs statements. Store functions take one, so that they work inside
// a transaction (Tx) and outside of one (DB, where Exec is a transaction of
// its own and the others only read).
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (Result, error)
	Query(ctx context.Context, sql string, args ...any) (*Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) *Row
}

// Result is what a statement changed.
type Result struct {
	RowsAffected int64
}

// Scanner is a row to be scanned: Row, and Rows at its current row.
type Scanner interface {
	Scan(dest ...any) error
}
