package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// The kinds of failure a caller may act on. Errors of this package match them
// with errors.Is; errors.As to *Error gives table, column and constraint.
var (
	ErrNotFound    = errors.New("database: no such row")
	ErrUnique      = errors.New("database: unique constraint violated")
	ErrForeignKey  = errors.New("database: foreign key violated")
	ErrCheck       = errors.New("database: check or not-null constraint violated")
	ErrInvalid     = errors.New("database: value cannot be stored")
	ErrBusy        = errors.New("database: busy, try again")
	ErrDiskFull    = errors.New("database: disk full")
	ErrReadOnly    = errors.New("database: read only")
	ErrClosed      = errors.New("database: closed")
	ErrUnavailable = errors.New("database: the database cannot be reached")
	// ErrUnknown says that the connection broke while the commit was under
	// way: the transaction may or may not have happened.
	ErrUnknown = errors.New("database: outcome of the commit is unknown")
	// ErrNewer says that a newer version of the program wrote this database.
	ErrNewer = errors.New("database: written by a newer version")
	// ErrNested is a write transaction opened inside another one.
	ErrNested = errors.New(
		"database: write transaction opened inside a write transaction; use the Tx that is already open")
)

// errTxDone is a Tx used after its function returned.
var errTxDone = errors.New("database: transaction is already over")

// Error is a failure reported by the database, with what it named.
type Error struct {
	// Kind is one of the sentinels above, or nil for a failure no caller can act on, such as a syntax error.
	Kind error
	// Table, Column and Constraint are empty where the engine does not say.
	// SQLite names columns, PostgreSQL names constraints; Column is filled on
	// both for unique and not-null violations ("a, b" when there are several).
	Table, Column, Constraint string

	cause error
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Kind != nil {
		b.WriteString(e.Kind.Error())
	} else {
		b.WriteString("database")
	}
	if e.Table != "" {
		b.WriteString(": table " + e.Table)
	}
	if e.Column != "" {
		b.WriteString(": column " + e.Column)
	}
	if e.Constraint != "" {
		b.WriteString(": constraint " + e.Constraint)
	}
	if e.cause != nil {
		b.WriteString(": " + e.cause.Error())
	}
	return b.String()
}

// Is matches the sentinel of the error's kind.
func (e *Error) Is(target error) bool { return e.Kind != nil && target == e.Kind }

// Unwrap is the engine's own error.
func (e *Error) Unwrap() error { return e.cause }

// Panic is raised in the goroutine that called Write or Read when the function
// it gave panicked, perhaps in another goroutine. Stack is where it happened.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string {
	return "database: panic in transaction: " + fmt.Sprint(p.Value) + "\n" + string(p.Stack)
}

// Unwrap is the panic's value if that was an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// settled reports an error that needs no translation: it is ours already or
// belongs to the context.
func settled(err error) bool {
	var ours *Error
	return errors.As(err, &ours) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, ErrClosed) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrNested)
}

// translateCommon handles what database/sql itself reports, alike for both
// engines; ok is false when the engine's translation has to look.
func translateCommon(err error) (ok bool, translated error) {
	switch {
	case err == nil || settled(err):
		return true, err
	case errors.Is(err, sql.ErrNoRows):
		return true, ErrNotFound
	case errors.Is(err, sql.ErrConnDone):
		return true, &Error{Kind: ErrClosed, cause: err}
	case errors.Is(err, sql.ErrTxDone):
		return true, errTxDone
	}
	return false, nil
}
