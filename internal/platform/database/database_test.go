package database_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// schema is a set of migrations given as file name and text pairs.
func schema(files ...string) database.Migrations {
	fsys := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return database.Migrations{Module: "test", Files: fsys}
}

// notes is the schema most tests use.
func notes() database.Migrations {
	return schema("0001_notes.sql", `
		CREATE TABLE test_owners (name {{text}} PRIMARY KEY);
		CREATE TABLE test_notes (
			id {{serial}},
			owner {{text}} REFERENCES test_owners (name),
			title {{text}} NOT NULL,
			size BIGINT NOT NULL DEFAULT 0 CONSTRAINT size_is_natural CHECK (size >= 0),
			body {{blob}},
			done {{bool}} NOT NULL DEFAULT FALSE,
			made_at {{text}},
			UNIQUE (owner, title)
		);`)
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		opts database.Options
		want string
	}{
		"neither folder nor URL":  {database.Options{}, "no data folder"},
		"an unknown scheme":       {database.Options{URL: "mysql://localhost/x"}, `scheme "mysql" is unknown`},
		"a folder that is not":    {database.Options{Dir: "/nonexistent/folder"}, "cannot be reached"},
		"a server that is not":    {database.Options{URL: "postgres:///x?host=/nonexistent"}, "cannot be reached"},
		"a malformed port":        {database.Options{URL: "postgres://u:hidden@localhost:x/y"}, "PostgreSQL URL"},
		"a keyword form, no host": {database.Options{URL: "host=/nonexistent dbname=x password=hidden"}, "cannot be reached"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := database.Open(t.Context(), test.opts)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("err = %v, want %q in it", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

// TestOddFileNames are folder names with meaning in a file URL.
func TestOddFileNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?c#d%20&.db")
	for range 2 {
		db, err := database.Open(t.Context(), database.Options{URL: "sqlite:" + path, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Migrate(t.Context(), notes()); err != nil {
			t.Error(err)
		}
		if err := insertTitle(t.Context(), db, "x"); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if matches, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(matches) != 1 {
		t.Errorf("files = %q, %v; want the database alone, its log folded in", matches, err)
	}
}

// TestOneFileOneOwner has a second process, or world, on a file that is in use.
func TestOneFileOneOwner(t *testing.T) {
	t.Parallel()
	o := database.Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "shared.db"), NoSync: true}
	for range 2 {
		first, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := database.Open(t.Context(), o); !errors.Is(err, database.ErrBusy) {
			t.Errorf("second = %v, %v; want ErrBusy", second, err)
		}
		// The refusal must not have cost the first one SQLite's locks.
		if err := errors.Join(first.Ping(t.Context()), first.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestTwoInOneProcess is what worlds need.
func TestTwoInOneProcess(t *testing.T) {
	t.Parallel()
	first, second := databasetest.SQLite(t, notes()), databasetest.SQLite(t, notes())
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if err := insertNote(t.Context(), first, int64(i)); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if err := insertTitle(t.Context(), second, "second"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, title := range titles(t, first) {
		if title == "second" {
			t.Fatal("a row of the second database is in the first")
		}
	}
	if got := len(titles(t, second)); got != 50 {
		t.Errorf("rows in the second = %d, want 50", got)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := db.Write(t.Context(), func(context.Context, *database.Tx) error { return nil }); !errors.Is(err,
			database.ErrClosed) {
			t.Errorf("Write = %v, want ErrClosed", err)
		}
		if err := db.Read(t.Context(), func(context.Context, *database.Tx) error { return nil }); !errors.Is(err,
			database.ErrClosed) {
			t.Errorf("Read = %v, want ErrClosed", err)
		}
		if _, err := db.Query(t.Context(), "SELECT 1"); !errors.Is(err, database.ErrClosed) {
			t.Errorf("Query = %v, want ErrClosed", err)
		}
		if err := db.Ping(t.Context()); !errors.Is(err, database.ErrClosed) {
			t.Errorf("Ping = %v, want ErrClosed", err)
		}
	})
}

// TestCloseFinishesTheQueue: who was let in is served.
func TestCloseFinishesTheQueue(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, notes())
	release := holdWriter(t, db)
	results := make(chan error, 8)
	for i := range cap(results) {
		go func() { results <- insertNote(t.Context(), db, int64(i)) }()
	}
	awaitQueue(t, db, int64(cap(results)))
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	release()
	for range cap(results) {
		if err := <-results; err != nil {
			t.Errorf("queued write = %v, want nil", err)
		}
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
