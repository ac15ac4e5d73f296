package identity_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
)

// secretsOf makes one of every secret there is and uses it.
func secretsOf(t *testing.T, h *fixture) map[string]string {
	t.Helper()
	ctx := t.Context()
	const password = "canary-password-7f3a91"
	u, err := h.AddUser(ctx, identity.NewUser{Name: "ada", Password: password})
	must(t, err)
	_, err = h.CheckPassword(ctx, "ada", password)
	must(t, err)
	_, token := h.token(identity.IssueOptions{UserID: u.ID})
	_, refresh := h.token(identity.IssueOptions{UserID: u.ID, Kind: identity.KindRefresh})
	h.resolves("labels", token, nil)
	k, key := h.key(identity.KeyOptions{UserID: u.ID})
	_, replaced, err := h.ReplaceKey(ctx, k.ID, identity.KeyRenewal{Days: 3, Old: key, Grace: time.Hour})
	must(t, err)
	c, client, err := h.AddClient(ctx, webClient())
	must(t, err)
	fresh, err := h.ReplaceClientSecret(ctx, c.ID)
	must(t, err)
	must(t, h.Flush(ctx))
	return map[string]string{
		"password": password, "token": token, "refresh token": refresh, "key": key, "replaced key": replaced,
		"client secret": client, "new client secret": fresh,
	}
}

func TestNoSecretInTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := clock.NewVirtual(epoch)
	db, err := database.Open(t.Context(), database.Options{Dir: dir, Clock: c})
	must(t, err)
	closed := false
	t.Cleanup(func() {
		if !closed {
			_ = db.Close()
		}
	})
	must(t, db.Migrate(t.Context(), audit.Migrations(), identity.Migrations()))
	i := identity.New(identity.Options{DB: db, Clock: c, IDs: ids.Random(), Passwords: cheapPasswords(), Seal: box(t)})
	h := &fixture{Identity: i, t: t, db: db, clock: c}
	secrets := secretsOf(t, h)
	const note = "canary-note-that-is-no-secret"
	u, err := i.UserByName(t.Context(), "ada")
	must(t, err)
	h.key(identity.KeyOptions{UserID: u.ID, Note: note})

	// Once with the log beside the file and once after both were merged.
	for _, when := range []string{"open", "closed"} {
		if when == "closed" {
			must(t, i.Close())
			closed = true
			must(t, db.Close())
		}
		bytesOf := folder(t, dir)
		if !bytes.Contains(bytesOf, []byte(note)) {
			t.Fatalf("%s: the note is not in the files, so this test looks at the wrong ones", when)
		}
		for label, secret := range secrets {
			if bytes.Contains(bytesOf, []byte(secret)) {
				t.Errorf("%s: the %s is in the files", when, label)
			}
		}
	}
}

// folder is every byte below dir.
func folder(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, data...)
		return err
	}))
	return all
}

func TestNoSecretInTheTables(t *testing.T) {
	t.Parallel()
	db := databasetest.Postgres(t, audit.Migrations(), identity.Migrations())
	h := build(t, db, clock.NewVirtual(epoch))
	secrets := secretsOf(t, h)
	all := tables(t, db)
	if !strings.Contains(all, "argon2id") {
		t.Fatal("the password hash is not in the tables, so this test looks at the wrong ones")
	}
	for label, secret := range secrets {
		// PostgreSQL shows bytes as hexadecimal text.
		if strings.Contains(all, secret) || strings.Contains(all, hex.EncodeToString([]byte(secret))) {
			t.Errorf("the %s is in the tables", label)
		}
	}
}

// tables is every row of every identity_ table as text.
func tables(t *testing.T, db *database.DB) string {
	t.Helper()
	ctx := context.Background()
	name := func(s database.Scanner) (n string, err error) { return n, s.Scan(&n) }
	names, err := database.All(ctx, db, name,
		`SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'identity_%'`)
	must(t, err)
	var b strings.Builder
	for _, table := range names {
		rows, err := database.All(ctx, db, name, `SELECT CAST(r AS TEXT) FROM `+table+` r`)
		must(t, err)
		b.WriteString(strings.Join(rows, "\n"))
	}
	return b.String()
}
