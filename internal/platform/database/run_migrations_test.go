package database_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

const (
	createA = "CREATE TABLE test_a (n BIGINT); INSERT INTO test_a VALUES (1);"
	createB = "CREATE TABLE test_b (n BIGINT);"
)

// applied lists what the database says was applied.
func applied(t *testing.T, db *database.DB) string {
	t.Helper()
	all, err := database.All(t.Context(), db, func(row database.Scanner) (string, error) {
		var module, version, name string
		err := row.Scan(&module, &version, &name)
		return module + "/" + version + "/" + name, err
	}, "SELECT module, version, name FROM stoa_migrations ORDER BY module, version")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		first := schema("0001_a.sql", createA)
		both := schema("0001_a.sql", createA, "0002_b.sql", createB, "README.md", "not SQL")
		other := database.Migrations{Module: "other", Files: schema("sub/0001_c.sql",
			"CREATE TABLE other_c (n BIGINT)").Files}
		for _, step := range []struct {
			name string
			sets []database.Migrations
			want string
		}{
			{"from empty", []database.Migrations{first}, "test/1/a"},
			{"twice", []database.Migrations{first}, "test/1/a"},
			{"one more", []database.Migrations{both}, "test/1/a test/2/b"},
			{"another module, in a folder", []database.Migrations{both, other, {Module: "none"}}, "other/1/c test/1/a test/2/b"},
		} {
			if err := db.Migrate(ctx, step.sets...); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			if got := applied(t, db); got != step.want {
				t.Errorf("%s: applied %q, want %q", step.name, got, step.want)
			}
		}
		var n int
		if err := db.QueryRow(ctx, "SELECT COUNT(*) FROM test_a").Scan(&n); err != nil || n != 1 {
			t.Errorf("rows = %d, %v; want 1: the first migration ran once", n, err)
		}
	})
}

// TestMigrateRefuses leaves the database as it was, other modules included.
func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	other := database.Migrations{Module: "another", Files: schema("0001_c.sql", "CREATE TABLE another_c (n BIGINT)").Files}
	tests := map[string]struct {
		set  database.Migrations
		want []string
		kind error
	}{
		"a newer database": {
			schema("0001_a.sql", createA),
			[]string{"test", "0002_b", "knows 1", "start the version that wrote it"},
			database.ErrNewer,
		},
		"a changed migration": {
			schema("0001_a.sql", createA+" -- changed", "0002_b.sql", createB),
			[]string{"test", "0001_a", "start that version"},
			nil,
		},
		"a gap":            {schema("0001_a.sql", createA, "0003_c.sql", createB), []string{"0003_c.sql", "0002"}, nil},
		"a strange name":   {schema("first.sql", createA), []string{"first.sql", "0001_name.sql"}, nil},
		"an unknown macro": {schema("0001_a.sql", "CREATE TABLE x (a {{json}})"), []string{"{{json}}", "{{text}}"}, nil},
		"no module":        {database.Migrations{}, []string{"module name"}, nil},
		"a statement that fails": {
			schema("0001_a.sql", createA, "0002_b.sql", createB, "0003_c.sql",
				"CREATE TABLE test_c (n BIGINT); INSERT INTO nowhere VALUES (1)"),
			[]string{"test", "0003_c", "nowhere"},
			nil,
		},
	}
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		if err := db.Migrate(ctx, schema("0001_a.sql", createA, "0002_b.sql", createB)); err != nil {
			t.Fatal(err)
		}
		for name, test := range tests {
			sets := []database.Migrations{other, test.set}
			if name == "a statement that fails" {
				sets = sets[1:] // by then the other module is migrated
			}
			err := db.Migrate(ctx, sets...)
			if err == nil {
				t.Errorf("%s: no error", name)
				continue
			}
			if test.kind != nil && !errors.Is(err, test.kind) {
				t.Errorf("%s: %v, want %v", name, err, test.kind)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %q in it", name, err, want)
				}
			}
			if got, want := applied(t, db), "test/1/a test/2/b"; got != want {
				t.Errorf("%s: applied %q, want %q", name, got, want)
			}
		}
		if _, err := db.Exec(ctx, "SELECT n FROM test_c"); err == nil {
			t.Error("half of a failed migration is there")
		}
	})
}

func TestMigrateChoosesTheEnginesFile(t *testing.T) {
	t.Parallel()
	set := schema(
		"0001_a.sql", "CREATE TABLE test_names (name TEXT)", "0001_a.postgres.sql",
		"CREATE TABLE test_names (name TEXT); INSERT INTO test_names VALUES ('postgres')",
		"0002_b.sqlite.sql", "INSERT INTO test_names VALUES ('sqlite')", "0002_b.postgres.sql",
		"INSERT INTO test_names VALUES ('second')",
	)
	want := map[database.Engine]string{database.SQLite: "sqlite", database.Postgres: "postgres,second"}
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		names, err := database.All(t.Context(), db, func(row database.Scanner) (s string, err error) {
			err = row.Scan(&s)
			return s, err
		}, "SELECT name FROM test_names ORDER BY name")
		if got := strings.Join(names, ","); err != nil || got != want[db.Engine()] {
			t.Errorf("names = %q, %v; want %q", got, err, want[db.Engine()])
		}
	}, set)
}

// TestMigrateTogether is several processes that start on one PostgreSQL.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	url := databasetest.PostgresURL(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			db, err := database.Open(t.Context(), database.Options{URL: url, Clock: clock.NewVirtual(at), Connections: 2})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if err := db.Migrate(t.Context(), schema("0001_a.sql", createA, "0002_b.sql", createB)); err != nil {
				t.Error(err)
			}
			var got time.Time
			err = db.QueryRow(t.Context(),
				"SELECT applied_at FROM stoa_migrations WHERE version = 1").Scan(database.ScanTime(&got))
			if err != nil || !got.Equal(at) {
				t.Errorf("applied at %v, %v; want %v", got, err, at)
			}
		})
	}
	wg.Wait()
}

func TestMigrateCancelled(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := db.Migrate(ctx, notes()); !errors.Is(err, context.Canceled) {
			t.Errorf("Migrate = %v, want canceled", err)
		}
	})
}
