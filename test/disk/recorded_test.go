package disk_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/test/program"
)

var cuts = flag.Int("cuts", 12, "how many images of a migration that was cut short are opened")

// recorded are folders of earlier versions, the demonstration world of each.
func recorded(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("testdata/store-*.tar.gz")
	if err != nil || len(found) == 0 {
		t.Fatalf("no recorded folder: %v", err)
	}
	return found
}

func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("tar", "-xzf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return dir
}

// openApp opens a folder with everything that this program migrates.
func openApp(t *testing.T, dir string) (*app.App, error) {
	t.Helper()
	c := app.DefaultConfig()
	c.Data, c.BaseURL = dir, "http://127.0.0.1:1"
	return app.New(t.Context(), app.Options{
		Config: c, LogTo: io.Discard, NoHTTP: true, NoSync: true, ThrowAway: "it is a test",
		Passwords: identitytest.Passwords(),
	})
}

// migrate opens a folder and closes it.
func migrate(t *testing.T, dir string) {
	t.Helper()
	a, err := openApp(t, dir)
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// table is one of the database with the rows of its columns.
type table struct {
	name    string
	columns []string
	rows    []string
}

func texts(t *testing.T, db *database.DB, sql string) []string {
	t.Helper()
	all, err := database.All(t.Context(), db, func(s database.Scanner) (text string, err error) {
		err = s.Scan(&text)
		return text, err
	}, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return all
}

// readTables gives the rows of tables as they are stored: of those that are asked for, or
// of all. The history of migrations grows by design.
func readTables(t *testing.T, dir string, ask []table) (tables []table) {
	t.Helper()
	db := open(t, dir)
	defer db.Close()
	there := texts(t, db, `SELECT name FROM sqlite_master WHERE type = 'table'`)
	if ask == nil {
		for _, name := range texts(t, db, `SELECT name FROM sqlite_master WHERE type = 'table'
			AND name NOT LIKE 'sqlite_%' AND name <> 'stoa_migrations' AND sql NOT LIKE 'CREATE VIRTUAL%'`) {
			columns := texts(t, db, fmt.Sprintf(`SELECT name FROM pragma_table_info('%s')`, name))
			ask = append(ask, table{name: name, columns: columns})
		}
	}
	for _, one := range ask {
		var row []string
		for _, c := range one.columns {
			row = append(row, fmt.Sprintf(`quote("%s")`, c))
		}
		from := one.name
		if !slices.Contains(there, from) {
			from = movedTo(from)
		}
		one.rows = texts(t, db, fmt.Sprintf(`SELECT %s FROM %s ORDER BY 1`, strings.Join(row, `||','||`), from))
		tables = append(tables, one)
	}
	return tables
}

// movedTo is where later versions have the rows of a table that they dropped.
func movedTo(name string) string {
	if name == "forge_installations" {
		return `(SELECT a.client_id, a.owner_id AS org_id, r.repository_id FROM forge_app_installations a
			JOIN forge_installed_repositories r ON r.installation_id = a.id)`
	}
	return name
}

func sameTables(t *testing.T, name string, got, want []table) (rows int) {
	t.Helper()
	for i := range want {
		if !slices.Equal(got[i].rows, want[i].rows) {
			t.Errorf("%s: table %s is\n%.300q\nand was\n%.300q", name, want[i].name, got[i].rows, want[i].rows)
		}
		rows += len(want[i].rows)
	}
	return rows
}

// TestRecordedStores: the folder of an earlier version is opened with every row as it was,
// stoa check finds nothing, and its credentials work.
func TestRecordedStores(t *testing.T) {
	t.Parallel()
	stoa, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, archive := range recorded(t) {
		dir := unpack(t, archive)
		before := readTables(t, dir, nil)
		migrate(t, dir)
		rows := sameTables(t, archive, readTables(t, dir, before), before)
		t.Logf("%s: %d rows of %d tables are as they were", archive, rows, len(before))
		if rows < 100 {
			t.Errorf("%s: %d rows are compared: too little", archive, rows)
		}
		if out, err := runCheck(stoa, dir); err != nil {
			t.Errorf("%s: stoa check: %v\n%s", archive, err, out)
		}
		serveRecorded(t, stoa, dir)
	}
}

// serveRecorded asks for what the old version stored, with a token that it gave out.
func serveRecorded(t *testing.T, stoa, dir string) {
	t.Helper()
	p, err := program.Start(t.Context(), program.Options{Binary: stoa, Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	env, err := program.DemoEnv(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/tasks/v1/users/@me/lists", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+env["STOA_TOKEN"])
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(`"items"`)) {
		t.Errorf("the lists of an old token: %d %s %v, want 200 with items", response.StatusCode, text, err)
	}
}

// TestNewerStoreIsRefused: a folder that a later version changed is refused, and not a
// byte of its database is changed, also where migrations of other modules are due.
func TestNewerStoreIsRefused(t *testing.T) {
	t.Parallel()
	for _, archive := range recorded(t) {
		dir := unpack(t, archive)
		db := open(t, dir)
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO stoa_migrations (module, version, name, checksum, applied_at)
				SELECT module, 9999, 'later', 'x', applied_at FROM stoa_migrations WHERE module = 'tasks' LIMIT 1`)
			return err
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		before := readTables(t, dir, nil)
		schema := schemaOf(t, dir)
		a, err := openApp(t, dir)
		if err == nil {
			_ = a.Close()
		}
		if !errors.Is(err, database.ErrNewer) {
			t.Errorf("%s: opened with %v, want %v", archive, err, database.ErrNewer)
		}
		sameTables(t, archive, readTables(t, dir, before), before)
		if got := schemaOf(t, dir); got != schema {
			t.Errorf("%s: the refusal changed the tables", archive)
		}
	}
}

func schemaOf(t *testing.T, dir string) string {
	t.Helper()
	db := open(t, dir)
	defer db.Close()
	return strings.Join(texts(t, db, `SELECT name || ' ' || COALESCE(sql, '') FROM sqlite_master ORDER BY 1`), "\n")
}

// TestCutMigrations ends the first start on an empty and on an old folder around commits
// of its log: before one, within it and after it. The next start finishes what is missing:
// the tables are those of a start that nothing cut short, and the rows are there.
func TestCutMigrations(t *testing.T) {
	t.Parallel()
	for _, archive := range append(recorded(t), "") {
		begin := t.TempDir()
		var before []table
		if archive != "" {
			begin = unpack(t, archive)
			before = readTables(t, begin, nil)
		}
		whole := copyFolder(t, begin)
		a, err := openApp(t, whole)
		if err != nil {
			t.Fatal(err)
		}
		cut := copyFolder(t, whole) // before the end moves the log into the file
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		want := schemaOf(t, whole)
		log, err := os.ReadFile(filepath.Join(cut, database.FileName+"-wal"))
		if err != nil {
			t.Fatal(err)
		}
		moments := momentsOf(log)
		if len(moments) < 3*15 {
			t.Fatalf("%q: the log has %d moments: the migrations are not in it", archive, len(moments))
		}
		step := max(1, len(moments)/max(1, *cuts))
		opened := 0
		for n := 0; n < len(moments); n += step {
			dir := copyFolder(t, cut)
			if err := os.WriteFile(filepath.Join(dir, database.FileName+"-wal"), log[:moments[n]], 0o600); err != nil {
				t.Fatal(err)
			}
			migrate(t, dir)
			if got := schemaOf(t, dir); got != want {
				t.Errorf("%q cut at byte %d: the tables are not those of a whole start", archive, moments[n])
			}
			sameTables(t, fmt.Sprintf("%q cut at byte %d", archive, moments[n]), readTables(t, dir, before), before)
			opened++
		}
		t.Logf("%q: opened %d of %d moments", archive, opened, len(moments))
	}
}

// momentsOf are the lengths of a log before, within and after each commit.
func momentsOf(log []byte) (moments []int) {
	const header, frameHeader = 32, 24
	if len(log) < header {
		return nil
	}
	frame := frameHeader + int(binary.BigEndian.Uint32(log[8:]))
	for at := header; at+frame <= len(log); at += frame {
		sameSalt := bytes.Equal(log[at+8:at+16], log[16:24])
		if commit := binary.BigEndian.Uint32(log[at+4:]) != 0; commit && sameSalt {
			moments = append(moments, at, at+frame/2, at+frame)
		}
	}
	return moments
}
