package pictures_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/snapshots/pictures"
)

// TestKey: the rows name the key under which pictures are stored.
func TestKey(t *testing.T) {
	hash := strings.Repeat("0a1b", 16)
	query := pictures.BlobRows()[0].Query
	_, expression, _ := strings.Cut(query[:strings.Index(query, ", -1")], "id, ")
	got, err := database.One(t.Context(), databasetest.SQLite(t), func(s database.Scanner) (key string, err error) {
		err = s.Scan(&key)
		return key, err
	}, `SELECT `+expression+` FROM (SELECT CAST($1 AS TEXT) AS sha256) AS x`, hash)
	if err != nil || got != pictures.Key(hash) {
		t.Errorf("got %s (%v), want %s", got, err, pictures.Key(hash))
	}
}
