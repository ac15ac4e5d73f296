package database

import (
	"errors"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// translateSQLite gives SQLite's result codes their kind.
func translateSQLite(err error) error {
	if ok, common := translateCommon(err); ok {
		return common
	}
	var engine *sqlite.Error
	if !errors.As(err, &engine) {
		return &Error{cause: err}
	}
	e := &Error{Kind: sqliteKind(engine.Code()), cause: err}
	nameConstraint(e, engine)
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

// nameConstraint reads the names out of messages such as
// "… UNIQUE constraint failed: labels.owner, labels.name (2067)".
func nameConstraint(e *Error, engine *sqlite.Error) {
	_, names, ok := strings.Cut(engine.Error(), "constraint failed: ")
	if !ok || engine.Code() == lib.SQLITE_CONSTRAINT_FOREIGNKEY {
		return // SQLite does not say which foreign key
	}
	// The driver repeats SQLite's generic words in front of the specific ones.
	if _, rest, again := strings.Cut(names, "constraint failed: "); again {
		names = rest
	}
	if i := strings.LastIndex(names, " ("); i >= 0 {
		names = names[:i]
	}
	if engine.Code() == lib.SQLITE_CONSTRAINT_CHECK {
		e.Constraint = names
		return
	}
	var columns []string
	for name := range strings.SplitSeq(names, ", ") {
		table, column, ok := strings.Cut(name, ".")
		if !ok {
			// An index on an expression is named as "index 'name'".
			e.Constraint = names
			return
		}
		e.Table = table
		columns = append(columns, column)
	}
	e.Column = strings.Join(columns, ", ")
}

// suspicious reports that a connection met more than an ordinary refusal.
func suspicious(err error) bool {
	var engine *sqlite.Error
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
