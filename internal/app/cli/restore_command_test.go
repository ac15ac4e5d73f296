package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// backedUp is a world with users, a repository and a blob, and a backup that was made of
// it while users were added; acknowledged are those that were there before.
func backedUp(t *testing.T, url string) (folder string, acknowledged int) {
	t.Helper()
	return backedUpFrom(t, t.TempDir(), url)
}

func backedUpFrom(t *testing.T, data, url string) (folder string, acknowledged int) {
	t.Helper()
	c := app.DefaultConfig()
	c.Data, c.Database.URL, c.BaseURL = data, url, "http://127.0.0.1:1"
	a, err := app.New(t.Context(), app.Options{
		Config: c, LogTo: io.Discard, NoHTTP: true, NoSync: true, ThrowAway: "it is a test",
		Passwords: identitytest.Passwords(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := a.World().Blobs.Put(t.Context(), "a/b", strings.NewReader("some bytes"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	run := func(path string, values map[string][]string) {
		if _, err := a.RunCommand(context.Background(), path, values, nil); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	add := func(n int) {
		run("user add", map[string][]string{"name": {fmt.Sprint("user", n)}, "password": {"a long one"}})
	}
	for n := range 20 {
		add(n)
	}
	run("repo create", map[string][]string{"repo": {"user1/site"}})
	folder = filepath.Join(t.TempDir(), "copy")
	var group sync.WaitGroup
	group.Go(func() {
		for n := range 20 {
			add(100 + n)
		}
	})
	run("backup", map[string][]string{"folder": {folder}})
	group.Wait()
	return folder, 20
}

func runProgram(t *testing.T, args ...string) (code int, out, errors string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := &cli.Program{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Version: "test"}
	code = p.Main(t.Context())
	return code, stdout.String(), stderr.String()
}

// TestRestore: what was acknowledged before a backup is there after its restoring, whole;
// nothing is overwritten, and a backup that was changed is refused.
func TestRestore(t *testing.T) {
	for engine, urls := range map[string][2]string{
		"sqlite": {}, "postgres": {databasetest.PostgresURL(t), databasetest.PostgresURL(t)},
	} {
		t.Run(engine, func(t *testing.T) {
			folder, acknowledged := backedUp(t, urls[0])
			data := filepath.Join(t.TempDir(), "restored")
			args := []string{"--data", data}
			if urls[1] != "" {
				args = append(args, "--database", urls[1])
			}
			if code, out, failed := runProgram(t, append(args, "restore", folder)...); code != 0 {
				t.Fatalf("restore ended with %d: %s%s", code, out, failed)
			}
			_, out, _ := runProgram(t, append(args, "--json", "user", "list")...)
			for n := range acknowledged {
				if !strings.Contains(out, fmt.Sprintf(`"user%d"`, n)) {
					t.Errorf("user%d is not there", n)
				}
			}
			code, _, failed := runProgram(t, append(args, "restore", t.TempDir())...)
			if code != 3 || strings.Contains(failed, "stoa --data") {
				t.Errorf("restored what is not a backup: %d %s", code, failed)
			}
			if code, _, failed := runProgram(t, append(args, "restore", folder)...); code != 4 {
				t.Errorf("restored over a folder: %d %s", code, failed)
			}
			spoil(t, filepath.Join(folder, "data", "root.check"))
			other := []string{"--data", data + "2", "restore", folder}
			if code, _, failed := runProgram(t, other...); code != 1 || !strings.Contains(failed, "is not what was written") {
				t.Errorf("a changed backup: %d %s", code, failed)
			}
			if _, err := os.Stat(data + "2"); err == nil {
				t.Error("a refused restore left a folder")
			}
		})
	}
}

// TestRestoreNamesTheNextStart: started with the line that restore prints, the server has the
// configuration that it was restored with.
func TestRestoreNamesTheNextStart(t *testing.T) {
	t.Parallel()
	folder, _ := backedUp(t, "")
	dir := t.TempDir()
	data, file := filepath.Join(dir, "restored"), filepath.Join(dir, "stoa.yaml")
	text := "data: " + data + "\nlisten:\n  https: 127.0.0.1:0\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, failed := runProgram(t, "restore", folder, "--config", file)
	want := "next: stoa --data " + data + " --config " + file + " start --wait\n"
	if code != 0 || !strings.HasSuffix(out, want) {
		t.Errorf("exit %d, want %q at the end of\n%s%s", code, want, out, failed)
	}
}

// TestRestoreLeavesAddressesOut: a restored folder does not take the addresses of the server
// that was backed up, which may still be running, for its own; it is served in the same way.
func TestRestoreLeavesAddressesOut(t *testing.T) {
	t.Parallel()
	from, data := t.TempDir(), filepath.Join(t.TempDir(), "restored")
	for name, text := range map[string]string{
		"listen.address": "127.0.0.1:4000 127.0.0.1:0\n", "listen.https": "127.0.0.1:4001 127.0.0.1:0\n",
		"start.json": `{"demo":"true","dialect":"sdk","https":"127.0.0.1:4001","kms-socket":"/run/kms.sock"}`,
		"demo.env": "STOA_CA_FILE=/original/ca.pem\nSTOA_HTTPS_URL=https://127.0.0.1:4001\n" +
			"STOA_KMS_SOCKET=/run/kms.sock\nSTOA_TOKEN=mine\nSTOA_URL=http://127.0.0.1:4000\n",
	} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder, _ := backedUpFrom(t, from, "")
	if code, _, failed := runProgram(t, "--data", data, "restore", folder); code != 0 {
		t.Fatalf("%d: %s", code, failed)
	}
	for _, name := range []string{"listen.address", "listen.https"} {
		if _, err := os.Stat(filepath.Join(data, name)); err == nil {
			t.Errorf("%s was restored", name)
		}
	}
	for name, want := range map[string]string{
		"start.json": `{"demo":"true","dialect":"sdk"}` + "\n",
		"demo.env":   "export STOA_TOKEN='mine'\n",
	} {
		text, err := os.ReadFile(filepath.Join(data, name))
		if err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v; want %q", name, text, err, want)
		}
	}
}

func spoil(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("spoiled\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
