package rowbatch_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/rowbatch"
)

func TestRowMarks(t *testing.T) {
	t.Parallel()
	if got, want := rowbatch.Marks(database.Postgres, 2, 3), "($1, $2, $3), ($4, $5, $6)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := rowbatch.Marks(database.SQLite, 2, 2), "(?, ?), (?, ?)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
