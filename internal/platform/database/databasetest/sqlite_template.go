package databasetest

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/migration"
)

// SQLiteFile puts a database into a folder that has none, with the sets migrated. The
// migrations of a list of sets run once in a process: SQLite reads its whole schema
// again after most of their statements, which takes longer than most tests.
func SQLiteFile(t testing.TB, dir string, sets ...database.Migrations) {
	t.Helper()
	if len(sets) == 0 {
		return
	}
	sum, err := migration.Checksum(string(database.SQLite), sets...)
	if err != nil {
		t.Fatalf("migrate test database: %v", err)
	}
	bytes := templates.find(t, sum, sets)
	if err := os.WriteFile(filepath.Join(dir, database.FileName), bytes, 0o600); err != nil {
		t.Fatalf("copy test database: %v", err)
	}
}

// templates are the migrated databases of this process. The bytes of one are immutable:
// tests take copies.
var templates sqliteTemplates

// sqliteTemplates are files of databases, by the checksum of their sets.
type sqliteTemplates struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (s *sqliteTemplates) find(t testing.TB, sum string, sets []database.Migrations) []byte {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes, ok := s.files[sum]; ok {
		return bytes
	}
	bytes := migratedFile(t, sets)
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	s.files[sum] = bytes
	return bytes
}

// migratedFile migrates a database, closes it and reads its only file.
func migratedFile(t testing.TB, sets []database.Migrations) []byte {
	t.Helper()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Options{Dir: dir, NoSync: true})
	if err != nil {
		t.Fatalf("open test database: %v", err)
	}
	if err := errors.Join(db.Migrate(t.Context(), sets...), db.Close()); err != nil {
		t.Fatalf("migrate test database: %v", err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, database.FileName+"-wal"))
	if err != nil || len(logs) > 0 {
		t.Fatalf("the closed test database has left %v, %v", logs, err)
	}
	bytes, err := os.ReadFile(filepath.Join(dir, database.FileName))
	if err != nil {
		t.Fatalf("read test database: %v", err)
	}
	return bytes
}
