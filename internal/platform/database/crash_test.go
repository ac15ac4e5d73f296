package database_test

import (
	"bufio"
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
)

// TestAcknowledgedSurvivesKill kills a writing process and looks for every row
// it had been told was committed.
func TestAcknowledgedSurvivesKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acknowledged := map[int64]bool{}
	for range 3 {
		cmd, _, out := child(t, "write", dir)
		for range 200 {
			acknowledged[readNumber(t, out)] = true
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// What was printed before the kill was acknowledged as well.
		for {
			line, err := out.ReadString('\n')
			if err != nil {
				break
			}
			if n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil {
				acknowledged[n] = true
			}
		}
		_ = cmd.Wait() // reports the kill
		checkStored(t, dir, acknowledged)
	}
}

func readNumber(t *testing.T, out *bufio.Reader) int64 {
	t.Helper()
	line, err := out.ReadString('\n')
	n, parseErr := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil || parseErr != nil {
		t.Fatalf("child said %q, %v", line, err)
	}
	return n
}

func checkStored(t *testing.T, dir string, acknowledged map[int64]bool) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sizes, err := database.All(t.Context(), db, func(row database.Scanner) (n int64, err error) {
		err = row.Scan(&n)
		return n, err
	}, "SELECT size FROM test_notes")
	if err != nil {
		t.Fatal(err)
	}
	stored := map[int64]bool{}
	for _, n := range sizes {
		stored[n] = true
	}
	for n := range acknowledged {
		if !stored[n] {
			t.Errorf("row %d was acknowledged and is lost", n)
		}
	}
	var verdict string
	if err := db.QueryRow(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %q, %v", verdict, err)
	}
}
