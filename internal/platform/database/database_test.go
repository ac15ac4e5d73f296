package database_test

import (
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

func TestBindByNumber(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		var first, second, third string
		err := db.QueryRow(t.Context(), "SELECT CAST($3 AS TEXT), CAST($1 AS TEXT), CAST($2 AS TEXT) || CAST($1 AS TEXT) || CAST($3 AS TEXT)", "a", "b", "c").
			Scan(&first, &second, &third)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := first+","+second+","+third, "c,a,bac"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
