package integrity_test

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/integrity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/deliver"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// open makes a world with a blob, a repository and a key.
func open(t *testing.T, url string) (*app.App, string) {
	t.Helper()
	c := app.DefaultConfig()
	c.Data, c.Database.URL, c.BaseURL = t.TempDir(), url, "http://127.0.0.1:1"
	c.Deliver.Loopback = &deliver.Loopback{}
	a, err := app.New(t.Context(), app.Options{
		Config: c, LogTo: io.Discard, NoHTTP: true, NoSync: true, ThrowAway: "it is a test",
		Passwords: identitytest.Passwords(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if _, err := a.World().Blobs.Put(t.Context(), "a/b", strings.NewReader("some bytes"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, command := range []struct {
		path   string
		values map[string][]string
	}{
		{"user add", map[string][]string{"name": {"ada"}, "password": {"correct horse battery staple"}}},
		{"repo create", map[string][]string{"repo": {"ada/site"}}},
		{"kms rotate", nil},
	} {
		if _, err := a.RunCommand(t.Context(), command.path, command.values, nil); err != nil {
			t.Fatalf("%s: %v", command.path, err)
		}
	}
	return a, c.Data
}

func check(t *testing.T, a *app.App) integrity.Report {
	t.Helper()
	result, err := a.RunCommand(t.Context(), "check", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, ok := result.(integrity.Report)
	if !ok {
		t.Fatalf("the answer is a %T", result)
	}
	return report
}

// TestCheck: a world that is whole has no damage; each damage is found in its part.
func TestCheck(t *testing.T) {
	for engine, url := range map[string]string{"sqlite": "", "postgres": databasetest.PostgresURL(t)} {
		t.Run(engine, func(t *testing.T) {
			a, dir := open(t, url)
			whole := check(t, a)
			if whole.Damaged != 0 || whole.Failure() != nil {
				t.Fatalf("a new world is damaged: %+v", whole)
			}
			looked := map[string]int{}
			for _, p := range whole.Parts {
				looked[p.Name] = p.Looked
				if p.Of == "" {
					t.Errorf("%s does not say what was looked at", p.Name)
				}
			}
			for _, part := range []string{"database", "root key", "blobs", "forge", "kms"} {
				if looked[part] == 0 {
					t.Errorf("nothing of %s was looked at: %v", part, looked)
				}
			}
			damage(t, a, dir)
			report := check(t, a)
			for _, part := range []string{"root key", "blobs", "forge", "kms"} {
				found(t, report, part)
			}
			if report.Damaged != 4 || report.Failure() == nil {
				t.Errorf("damages: %+v, want 4", report)
			}
		})
	}
}

func found(t *testing.T, r integrity.Report, part string) {
	t.Helper()
	for _, p := range r.Parts {
		if p.Name == part && (p.Damaged != 1 || p.Damages[0].Detail == "" || p.Damages[0].Advice == "") {
			t.Errorf("%s: %+v, want one damage with advice", part, p)
		}
	}
}

// damage changes a byte of the blob, loses the repository, and spoils both keys.
func damage(t *testing.T, a *app.App, dir string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "blobs"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(content), "some bytes") {
			return err
		}
		return os.WriteFile(path, []byte(strings.Replace(string(content), "some bytes", "same bytes", 1)), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "git")); err != nil {
		t.Fatal(err)
	}
	err = a.World().DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE kms_keys SET material = $1 WHERE seq = (SELECT MAX(seq) FROM kms_keys)`, []byte("spoiled")); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE world_key SET check_value = 'another'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
