package database_test

import (
	"context"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want error
		// names on SQLite and PostgreSQL
		sqlite, postgres database.Error
	}{
		"unique over two columns": {
			"INSERT INTO test_notes (owner, title) VALUES ('ada', 'taken')", database.ErrUnique,
			database.Error{Table: "test_notes", Column: "owner, title"},
			database.Error{Table: "test_notes", Column: "owner, title", Constraint: "test_notes_owner_title_key"},
		},
		"primary key": {
			"INSERT INTO test_owners VALUES ('ada')", database.ErrUnique,
			database.Error{Table: "test_owners", Column: "name"},
			database.Error{Table: "test_owners", Column: "name", Constraint: "test_owners_pkey"},
		},
		"counted primary key": {
			"INSERT INTO test_notes (id, title) VALUES (1, 'x')", database.ErrUnique,
			database.Error{Table: "test_notes", Column: "id"},
			database.Error{Table: "test_notes", Column: "id", Constraint: "test_notes_pkey"},
		},
		"foreign key, unknown parent": {
			"INSERT INTO test_notes (owner, title) VALUES ('no owner', 'x')", database.ErrForeignKey,
			database.Error{},
			database.Error{Table: "test_notes", Constraint: "test_notes_owner_fkey"},
		},
		"foreign key, parent in use": {
			"DELETE FROM test_owners WHERE name = 'ada'", database.ErrForeignKey,
			database.Error{},
			database.Error{Table: "test_notes", Constraint: "test_notes_owner_fkey"},
		},
		"check": {
			"INSERT INTO test_notes (title, size) VALUES ('x', -1)", database.ErrCheck,
			database.Error{Constraint: "size_is_natural"},
			database.Error{Table: "test_notes", Constraint: "size_is_natural"},
		},
		"not null": {
			"INSERT INTO test_notes (title) VALUES (NULL)", database.ErrCheck,
			database.Error{Table: "test_notes", Column: "title"},
			database.Error{Table: "test_notes", Column: "title"},
		},
		"syntax": {"INSERT INTO", nil, database.Error{}, database.Error{}},
	}
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		seed(ctx, t, db)
		for name, test := range tests {
			_, err := db.Exec(ctx, test.text)
			var got *database.Error
			if !errors.As(err, &got) {
				t.Errorf("%s: %v (%T), want *Error", name, err, err)
				continue
			}
			want := test.sqlite
			if db.Engine() == database.Postgres {
				want = test.postgres
			}
			if got.Kind != test.want || got.Table != want.Table || got.Column != want.Column ||
				got.Constraint != want.Constraint {
				t.Errorf("%s: kind %v, table %q, column %q, constraint %q; want %v, %q, %q, %q (%v)", name,
					got.Kind, got.Table, got.Column, got.Constraint, test.want, want.Table, want.Column, want.Constraint, err)
			}
			onlyKind(t, name, err, test.want)
		}
	}, notes())
}

// onlyKind checks that the kinds are told apart.
func onlyKind(t *testing.T, name string, err, want error) {
	t.Helper()
	for _, kind := range []error{
		database.ErrNotFound, database.ErrUnique, database.ErrForeignKey, database.ErrCheck, database.ErrInvalid,
		database.ErrBusy,
		database.ErrDiskFull, database.ErrReadOnly, database.ErrClosed, database.ErrUnavailable, database.ErrUnknown,
		database.ErrNewer,
	} {
		if got := errors.Is(err, kind); got != (kind == want) {
			t.Errorf("%s: errors.Is(%v) = %v", name, kind, got)
		}
	}
}

func seed(ctx context.Context, t *testing.T, db *database.DB) {
	t.Helper()
	for _, text := range []string{
		"INSERT INTO test_owners VALUES ('ada')",
		"INSERT INTO test_notes (owner, title) VALUES ('ada', 'taken')",
	} {
		if _, err := db.Exec(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		const text = "SELECT id FROM test_notes WHERE title = $1"
		scan := func(row database.Scanner) (id int64, err error) { return id, row.Scan(&id) }
		if _, err := database.One(ctx, db, scan, text, "none"); !errors.Is(err, database.ErrNotFound) {
			t.Errorf("One = %v, want ErrNotFound", err)
		}
		if all, err := database.All(ctx, db, scan, text, "none"); err != nil || all == nil || len(all) != 0 {
			t.Errorf("All = %v, %v; want an empty slice", all, err)
		}
		// It is an answer, not a failure: the transaction goes on.
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			if _, err := database.One(ctx, tx, scan, text, "none"); !errors.Is(err, database.ErrNotFound) {
				t.Errorf("One in a transaction = %v, want ErrNotFound", err)
			}
			return insertTitle(ctx, tx, "x")
		})
		if err != nil {
			t.Error(err)
		}
	}, notes())
}

// TestScanMistakes gives the connection back.
func TestScanMistakes(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		var n int
		if err := db.QueryRow(t.Context(), "SELECT 'text'").Scan(&n); err == nil {
			t.Error("text was scanned into a number")
		}
		if err := db.QueryRow(t.Context(), "SELECT 1, 2").Scan(&n); err == nil {
			t.Error("two columns were scanned into one")
		}
		if got := db.Stats().ReadersBusy; got != 0 {
			t.Errorf("readers busy = %d, want 0", got)
		}
	})
}
