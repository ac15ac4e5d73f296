package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/module"
)

// TestCheckWorker checks that a worker refuses, in words, to start with what it
// does not share with the servers.
func TestCheckWorker(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(c *app.Config)
		want   string
	}{
		{"all there", func(*app.Config) {}, ""},
		{"key in the data folder", func(c *app.Config) { c.Data, c.RootKey = filepath.Dir(c.RootKey), "" }, ""},
		{"no database", func(c *app.Config) { c.Database.URL = "" }, "--database"},
		{"no address", func(c *app.Config) { c.BaseURL = "" }, "no address"},
		{"files", func(c *app.Config) { c.Blob.Store = "files" }, "blob.store is files"},
		{"no key", func(c *app.Config) { c.RootKey = "" }, "root.key"},
		{"key that is not there", func(c *app.Config) { c.RootKey += ".gone" }, "root.key.gone"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := config(t)
			c.Database.URL = "postgres://stoa.example/stoa"
			c.BaseURL, c.Blob.Store, c.RootKey = "https://stoa.example", "s3", filepath.Join(t.TempDir(), "root.key")
			if err := os.WriteFile(c.RootKey, []byte("key"), 0o600); err != nil {
				t.Fatal(err)
			}
			tc.change(&c)
			err := c.CheckWorker()
			var refused *module.CommandError
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("got %v, want none", err)
			case tc.want != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want a refusal with %q", err, tc.want)
			}
		})
	}
}

// TestCheckWorkerNamesEverything: who sets up a worker learns at once what
// is needed.
func TestCheckWorkerNamesEverything(t *testing.T) {
	t.Parallel()
	err := config(t).CheckWorker()
	for _, want := range []string{"--database", "STOA_BASE_URL", "STOA_BLOB_STORE", "STOA_ROOT_KEY"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s named", err, want)
		}
	}
}

// TestForeignRootKey: servers and workers that share a database share the key.
func TestForeignRootKey(t *testing.T) {
	shared := "sqlite:" + filepath.Join(t.TempDir(), "shared.db")
	open := func() error {
		c := config(t)
		c.Database.URL = shared
		a, err := app.New(t.Context(), app.Options{Config: c})
		if err != nil {
			return err
		}
		return a.Close()
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	err := open()
	wantFailure(t, err, module.Config)
	if err == nil || !strings.Contains(err.Error(), "root key") {
		t.Errorf("%v, want the root key named", err)
	}
}
