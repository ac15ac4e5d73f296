package migration_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"stoa.dev/stoa/internal/platform/database/migration"
)

func set(files ...string) migration.Set {
	tree := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		tree[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return migration.Set{Module: "test", Files: tree}
}

// How sets are applied is tested with the database.
func TestLoad(t *testing.T) {
	t.Parallel()
	s := set("0001_a.sql", "CREATE TABLE a (n {{text}})", "0002_b.sql", "common", "0002_b.postgres.sql", "own")
	for engine, want := range map[string]string{
		"sqlite":   "CREATE TABLE a (n TEXT)|common",
		"postgres": `CREATE TABLE a (n TEXT COLLATE "C")|own`,
	} {
		steps, err := s.Load(engine)
		if err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(steps))
		for i, step := range steps {
			texts[i] = step.Text
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("%s: got %s, want %s", engine, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]migration.Set{
		"no gaps":        set("0002_a.sql", ""),
		"is not named":   set("first.sql", ""),
		"is unknown":     set("0001_a.sql", "{{number}}"),
		"no module name": {},
	} {
		if _, err := s.Load("sqlite"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load = %v, want an error that says %q", err, want)
		}
	}
}
