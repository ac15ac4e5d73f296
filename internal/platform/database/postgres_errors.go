//go:build !small

package database

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"stoa.dev/stoa/internal/platform/database/constraint"
	"stoa.dev/stoa/internal/platform/database/pgpool"
)

// PostgreSQL's five-letter codes that mean something to callers.
const (
	pgUnique         = "23505"
	pgExclusion      = "23P01"
	pgForeignKey     = "23503"
	pgNotNull        = "23502"
	pgCheck          = "23514"
	pgReadOnly       = "25006"
	pgSerialization  = "40001"
	pgDeadlock       = "40P01"
	pgLockNotFree    = "55P03"
	pgDiskFull       = "53100"
	pgTooManyClients = "53300"
)

// translatePostgres gives PostgreSQL's error codes their kind.
func translatePostgres(err error) error {
	if ok, common := translateCommon(err); ok {
		return common
	}
	var engine *pgconn.PgError
	if errors.As(err, &engine) {
		return &Error{
			Kind:       postgresKind(engine.Code),
			Table:      engine.TableName,
			Column:     columnOf(engine),
			Constraint: engine.ConstraintName,
			cause:      err,
		}
	}
	if pgpool.Unreachable(err) {
		return &Error{Kind: ErrUnavailable, cause: pgpool.OneLine(err)}
	}
	if strings.HasPrefix(err.Error(), "sql: database is closed") {
		return ErrClosed
	}
	return &Error{cause: err}
}

func postgresKind(code string) error {
	switch code {
	case pgUnique, pgExclusion:
		return ErrUnique
	case pgForeignKey:
		return ErrForeignKey
	case pgCheck, pgNotNull:
		return ErrCheck
	case pgReadOnly:
		return ErrReadOnly
	case pgSerialization, pgDeadlock, pgLockNotFree:
		return ErrBusy
	case pgDiskFull:
		return ErrDiskFull
	case pgTooManyClients, "25P03": // the latter: a transaction waited too long for its client
		return ErrUnavailable
	}
	switch code[:min(2, len(code))] {
	case "22": // data exception
		return ErrInvalid
	case "08", "57", "58": // connection, operator intervention, system error
		return ErrUnavailable
	}
	return nil
}

// columnOf is the column PostgreSQL names, or for a unique violation the list in its detail.
func columnOf(e *pgconn.PgError) string {
	if e.ColumnName != "" || e.Code != pgUnique {
		return e.ColumnName
	}
	return constraint.FromPostgres(e.Detail)
}

// retryable reports a transaction that PostgreSQL gave up for the sake of
// another one and that may succeed when it is run again.
func retryable(err error) bool {
	var engine *pgconn.PgError
	return errors.As(err, &engine) && (engine.Code == pgSerialization || engine.Code == pgDeadlock)
}
