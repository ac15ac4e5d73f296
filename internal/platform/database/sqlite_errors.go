package database

import (
	"errors"

	lib "modernc.org/sqlite/lib"

	"stoa.dev/stoa/internal/platform/database/constraint"
	"stoa.dev/stoa/internal/platform/database/sqliteconn"
)

// translateSQLite gives SQLite's result codes their kind.
func translateSQLite(err error) error {
	if ok, common := translateCommon(err); ok {
		return common
	}
	var engine *sqliteconn.Error
	if !errors.As(err, &engine) {
		return &Error{cause: err}
	}
	e := &Error{Kind: sqliteKind(engine.Code()), cause: err}
	if engine.Code() != lib.SQLITE_CONSTRAINT_FOREIGNKEY { // SQLite does not say which foreign key
		n := constraint.FromSQLite(engine.Error(), engine.Code() == lib.SQLITE_CONSTRAINT_CHECK)
		e.Table, e.Column, e.Constraint = n.Table, n.Column, n.Constraint
	}
	return e
}

func sqliteKind(code int) error {
	switch code {
	case lib.SQLITE_CONSTRAINT_UNIQUE, lib.SQLITE_CONSTRAINT_PRIMARYKEY, lib.SQLITE_CONSTRAINT_ROWID:
		return ErrUnique
	case lib.SQLITE_CONSTRAINT_FOREIGNKEY:
		return ErrForeignKey
	case lib.SQLITE_CONSTRAINT_CHECK, lib.SQLITE_CONSTRAINT_NOTNULL:
		return ErrCheck
	case lib.SQLITE_CONSTRAINT_DATATYPE:
		return ErrInvalid
	}
	switch primary(code) {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return ErrBusy
	case lib.SQLITE_FULL:
		return ErrDiskFull
	case lib.SQLITE_READONLY:
		return ErrReadOnly
	case lib.SQLITE_TOOBIG, lib.SQLITE_MISMATCH:
		return ErrInvalid
	case lib.SQLITE_CANTOPEN, lib.SQLITE_IOERR, lib.SQLITE_NOTADB, lib.SQLITE_CORRUPT:
		return ErrUnavailable
	}
	return nil
}

// primary strips the extension of a result code.
func primary(code int) int { return code & 0xff }

// suspicious reports that a connection met more than an ordinary refusal.
func suspicious(err error) bool {
	var engine *sqliteconn.Error
	if !errors.As(err, &engine) {
		return false
	}
	switch primary(engine.Code()) {
	case lib.SQLITE_CONSTRAINT, lib.SQLITE_ERROR, lib.SQLITE_READONLY, lib.SQLITE_BUSY, lib.SQLITE_LOCKED,
		lib.SQLITE_TOOBIG, lib.SQLITE_MISMATCH:
		return false
	}
	return true
}
