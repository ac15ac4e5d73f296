package app_test

import (
	"archive/tar"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/app/demo"
)

// TestBackupFromTheBrowser: an administrator downloads a backup that can be restored, and
// that it was made is on record.
func TestBackupFromTheBrowser(t *testing.T) {
	t.Parallel()
	c := config(t)
	a := start(t, c, true)
	env, err := demo.ReadEnv(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	b := signInWith(t, a, env["STOA_USER"], env["STOA_PASSWORD"])
	status, page := b.get("/console/administration/backup")
	if status != http.StatusOK || !strings.Contains(page, "-C backup &amp;&amp; stoa restore backup --data") {
		t.Fatalf("the page: %d %.500s", status, page)
	}
	form := url.Values{"form": {tokenOf.FindStringSubmatch(page)[1]}}
	for _, wrong := range []string{"", "not the password"} {
		form.Set("password", wrong)
		if status, page := b.post("/console/administration/backup", form); status != http.StatusConflict ||
			!strings.Contains(page, "The password is wrong") {
			t.Errorf("without the password: %d %.300s", status, page)
		}
	}
	form.Set("password", env["STOA_PASSWORD"])
	status, file := b.post("/console/administration/backup", form)
	if status != http.StatusOK {
		t.Fatalf("the download: %d %.500s", status, file)
	}
	dir := t.TempDir()
	unpack(t, file, dir)
	m, err := backup.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := backup.Files(t.Context(), dir, filepath.Join(t.TempDir(), "data"), m); err != nil {
		t.Error(err)
	}
	got := trail(t, a, map[string][]string{"action": {"backup.make"}, "actor": {env["STOA_USER"]}})
	if len(got) != 2 || !strings.HasSuffix(got[0], " begun") || !strings.HasSuffix(got[1], " done") {
		t.Errorf("on record is %v", got)
	}
	if _, err := a.RunCommand(t.Context(), "user add", map[string][]string{
		"name": {"mary"}, "password": {"a long enough one"},
	}, nil); err != nil {
		t.Fatal(err)
	}
	mary := signInWith(t, a, "mary", "a long enough one")
	_, page = mary.get("/console/sessions")
	form = url.Values{"form": {tokenOf.FindStringSubmatch(page)[1]}}
	if status, _ := mary.post("/console/administration/backup", form); status != http.StatusNotFound {
		t.Errorf("an ordinary user: %d, want 404", status)
	}
}

func unpack(t *testing.T, file, dir string) {
	t.Helper()
	in := tar.NewReader(strings.NewReader(file))
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o700)
		} else {
			var text []byte
			text, err = io.ReadAll(in)
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSettingsPage: a setting is shown with its meaning.
func TestSettingsPage(t *testing.T) {
	t.Parallel()
	c := config(t)
	a := start(t, c, true)
	env, err := demo.ReadEnv(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	b := signInWith(t, a, env["STOA_USER"], env["STOA_PASSWORD"])
	status, page := b.get("/console/administration/settings?text=audit.KEEP")
	if status != http.StatusOK || !strings.Contains(page, "STOA_<wbr>AUDIT_<wbr>KEEP") ||
		!strings.Contains(page, "how long an entry") && !strings.Contains(page, "How long an entry") {
		t.Errorf("%d %.2000s", status, page)
	}
}
