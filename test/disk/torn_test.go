package disk_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

var images = flag.Int("images", 200, "how many torn logs to open")

// The log of a database that is synced for the first rows and torn somewhere in those
// of the rest.
const (
	syncedRows = 40
	laterRows  = 40
)

// TestTornLog opens databases whose log has a tail that a power cut left as it liked:
// sectors of 512 or 4,096 bytes of it are zero, old, or missing. What was synced before
// is there, later rows are whole and without gaps.
func TestTornLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synced := writeRows(t, dir)
	log, err := os.ReadFile(filepath.Join(dir, database.FileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	if synced <= 0 || synced >= len(log) {
		t.Fatalf("the log has %d bytes, %d of them synced: nothing to tear", len(log), synced)
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	kept := map[int]int{}
	for i := range *images {
		image := t.TempDir()
		torn := tear(log, synced, random)
		copyFile(t, filepath.Join(dir, database.FileName), filepath.Join(image, database.FileName))
		if err := os.WriteFile(filepath.Join(image, database.FileName+"-wal"), torn, 0o600); err != nil {
			t.Fatal(err)
		}
		kept[openTorn(t, image, fmt.Sprintf("seed %d image %d", seed, i))]++
		if t.Failed() {
			return
		}
	}
	t.Logf("%d torn logs opened, %d different numbers of later rows kept", *images, len(kept))
	if len(kept) < 3 && *images > 50 {
		t.Error("the tears do not differ: the test shows too little")
	}
}

// writeRows fills a database, whose files stay as they are, and says how long its log
// was when the first rows were acknowledged.
func writeRows(t *testing.T, dir string) (synced int) {
	t.Helper()
	source := t.TempDir()
	db := open(t, source)
	for n := range syncedRows + laterRows {
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			if n == 0 {
				if _, err := tx.Exec(ctx, `CREATE TABLE rows_of_test (n INTEGER PRIMARY KEY, filler TEXT)`); err != nil {
					return err
				}
			}
			_, err := tx.Exec(ctx, `INSERT INTO rows_of_test (n, filler) VALUES ($1, $2)`, n, fmt.Sprintf("%01000d", n))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n == syncedRows-1 {
			info, err := os.Stat(filepath.Join(source, database.FileName+"-wal"))
			if err != nil {
				t.Fatal(err)
			}
			synced = int(info.Size())
		}
	}
	// Before the end, which would move the log into the file.
	for _, name := range []string{database.FileName, database.FileName + "-wal"} {
		copyFile(t, filepath.Join(source, name), filepath.Join(dir, name))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return synced
}

func open(t *testing.T, dir string) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tear is a log of which sectors behind the synced part never reached the disk.
func tear(log []byte, synced int, random *rand.Rand) []byte {
	torn := append([]byte{}, log...)
	sector := []int{512, 4096}[random.IntN(2)]
	first := (synced + sector - 1) / sector * sector
	for at := first; at < len(torn); at += sector {
		if random.IntN(8) > 0 {
			continue
		}
		end := min(at+sector, len(torn))
		switch random.IntN(3) {
		case 0:
			clear(torn[at:end])
		case 1: // what another part of the log held
			copy(torn[at:end], log[random.IntN(len(log)-sector):])
		case 2:
			return torn[:at+random.IntN(end-at)]
		}
	}
	return torn
}

// openTorn says how many later rows are there. All synced ones must be, and the later
// ones without a gap.
func openTorn(t *testing.T, dir, name string) (later int) {
	t.Helper()
	db := open(t, dir)
	defer func() {
		if err := db.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}()
	rows, err := database.All(t.Context(), db, func(s database.Scanner) (n int, err error) {
		var filler string
		err = s.Scan(&n, &filler)
		if err == nil && filler != fmt.Sprintf("%01000d", n) {
			err = errors.New("a row is not whole")
		}
		return n, err
	}, `SELECT n, filler FROM rows_of_test ORDER BY n`)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return 0
	}
	for i, n := range rows {
		if i != n {
			t.Errorf("%s: row %d is missing", name, i)
			return 0
		}
	}
	if len(rows) < syncedRows {
		t.Errorf("%s: %d rows are there, %d were synced", name, len(rows), syncedRows)
	}
	return len(rows) - syncedRows
}
