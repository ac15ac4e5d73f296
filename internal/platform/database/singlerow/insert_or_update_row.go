package singlerow

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// Insert runs an INSERT of one row into a table that counts its rows ({{serial}}), and
// returns the row's number; key is the column with it. It is database.ErrNotFound when the
// statement made no row.
func Insert(ctx context.Context, tx *database.Tx, key, sql string, args ...any) (number int64, err error) {
	if tx.Engine() != database.SQLite {
		err = tx.QueryRow(ctx, sql+" RETURNING "+key, args...).Scan(&number)
		return number, err
	}
	made, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	if made.RowsAffected == 0 {
		return 0, database.ErrNotFound
	}
	// It is of this connection, which no other transaction has until this one ends.
	err = tx.QueryRow(ctx, `SELECT last_insert_rowid()`).Scan(&number)
	return number, err
}

// Change says what an UPDATE of one row does. Its parts are constant text.
type Change struct {
	Table, Set string
	// Where finds the row before the change and after it. It has the first of the
	// parameters, as many as the key that Update is given.
	Where string
	// Read are the columns that are read once they are changed.
	Read string
}

// Update changes the row of a key, whose parameters come before the others, and scans
// what it reads of it into dest. It is database.ErrNotFound when there is no such row.
func Update(ctx context.Context, tx *database.Tx, c Change, key, others []any, dest ...any) error {
	update := "UPDATE " + c.Table + " SET " + c.Set + " WHERE " + c.Where
	args := append(key[:len(key):len(key)], others...)
	if tx.Engine() != database.SQLite {
		return tx.QueryRow(ctx, update+" RETURNING "+c.Read, args...).Scan(dest...)
	}
	changed, err := tx.Exec(ctx, update, args...)
	if err != nil {
		return err
	}
	if changed.RowsAffected == 0 {
		return database.ErrNotFound
	}
	return tx.QueryRow(ctx, "SELECT "+c.Read+" FROM "+c.Table+" WHERE "+c.Where, key...).Scan(dest...)
}
