package lab_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/lab"
)

// rewritten is an exported file with its manifest changed and more files in each repository.
func rewritten(t *testing.T, file []byte, manifest func(string) string, more map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	in := tar.NewReader(zipped)
	outZip := gzip.NewWriter(&out)
	to := tar.NewWriter(outZip)
	write := func(name, text string) {
		header := &tar.Header{Name: name, Mode: 0o700, Size: int64(len(text)), Typeflag: tar.TypeReg}
		if err := to.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(to, text); err != nil {
			t.Fatal(err)
		}
	}
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		dir := strings.HasSuffix(header.Name, "/")
		switch {
		case header.Name == "world.json":
			write(header.Name, manifest(string(text)))
		case strings.HasSuffix(header.Name, ".git/config"):
			// Written below.
		case dir:
			if err := to.WriteHeader(header); err != nil {
				t.Fatal(err)
			}
		case header.Name == "data/demo.env":
			write(header.Name, string(text)+"export LD_PRELOAD='/tmp/x.so'\nexport y; id; x='0123456789abcdef'\n")
		default:
			write(header.Name, string(text))
		}
		if strings.HasSuffix(header.Name, ".git/") {
			for _, name := range []string{"hooks/", "info/", "objects/info/"} {
				folder := &tar.Header{Name: header.Name + name, Mode: 0o700, Typeflag: tar.TypeDir}
				if err := to.WriteHeader(folder); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range more {
				write(header.Name+name, text)
			}
		}
	}
	if err := errors.Join(to.Close(), outZip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestHostileArchive: a file from anywhere brings data, never a program that the host runs.
func TestHostileArchive(t *testing.T) {
	l := open(t, t.TempDir())
	exported, err := create(t, l, lab.NewWorld{Name: "one"}).Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(exported)
	if err := errors.Join(err, exported.Close()); err != nil {
		t.Fatal(err)
	}
	same := func(text string) string { return text }
	for _, config := range []string{
		`{"pipelines":{"executor":"host"}}`, `{"forge":{"git":"/tmp/x"}}`, `{"deliver":{"allow":["0.0.0.0/0"]}}`,
	} {
		loose := rewritten(t, file, func(text string) string {
			return strings.Replace(text, "{", `{"config":`+config+`,`, 1)
		}, nil)
		var refused *lab.Error
		_, err := l.Import(t.Context(), lab.NewWorld{Name: "loose"}, bytes.NewReader(loose))
		if !errors.As(err, &refused) || !strings.Contains(refused.Next, "stoa lab --config") {
			t.Errorf("%s: %v", config, err)
		}
		if _, _, err := lab.Unpack(bytes.NewReader(loose), filepath.Join(t.TempDir(), "new")); err == nil {
			t.Errorf("%s is unpacked", config)
		}
	}

	ran := filepath.Join(t.TempDir(), "ran")
	program := "touch " + ran + "; cat"
	config := "[core]\n\tbare = true\n\trepositoryformatversion = 0\n[tar \"tar.gz\"]\n\tcommand = " + program + "\n"
	hostile := rewritten(t, file, same, map[string]string{
		"config":             config,
		"hooks/post-receive": "#!/bin/sh\n" + program, "info/attributes": "* filter=x\n", "config.worktree": "[core]\n",
		"objects/info/alternates": t.TempDir() + "\n", "../../../models/engine": "x", "commondir": "/\n",
	})
	if _, err := l.Import(t.Context(), lab.NewWorld{Name: "dots"}, bytes.NewReader(hostile)); err == nil {
		t.Error("a path with dots is taken")
	}
	hostile = rewritten(t, file, same, map[string]string{
		"config":             config,
		"hooks/post-receive": "#!/bin/sh\n" + program, "info/attributes": "* filter=x\n", "config.worktree": "[core]\n",
		"objects/info/alternates": t.TempDir() + "\n", "commondir": "/\n",
	})
	for name, file := range map[string][]byte{
		"deep":  rewritten(t, file, same, map[string]string{"refs/" + strings.Repeat("a/", 70) + "b": "x"}),
		"large": rewritten(t, file, same, map[string]string{"refs/heads/large": strings.Repeat("0", 1<<20+1)}),
	} {
		if _, err := l.Import(t.Context(), lab.NewWorld{Name: name}, bytes.NewReader(file)); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	w, err := l.Import(t.Context(), lab.NewWorld{Name: "two"}, bytes.NewReader(hostile))
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob(filepath.Join(w.Data(), "git", "*", "*.git"))
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, dir := range folders {
		text, err := os.ReadFile(filepath.Join(dir, "config"))
		if err != nil || strings.Contains(string(text), "tar") {
			t.Errorf("%s: %s, %v", dir, text, err)
		}
		for _, name := range []string{"hooks", "info", "config.worktree", "objects/info/alternates", "commondir"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				t.Errorf("%s is taken", name)
			}
		}
	}
	env, err := w.Env()
	for name, value := range env {
		if err != nil || !strings.HasPrefix(name, "STOA_") {
			t.Errorf("programs are started with %s=%s, %v", name, value, err)
		}
	}
	status, _, text := call(t, w, "GET", "/repos/"+variables(t, w)["STOA_REPO"]+"/tarball", "")
	if _, err := os.Stat(ran); err == nil {
		t.Errorf("the archive of a repository ran a program: %d %.200s", status, text)
	}
	if status >= 400 {
		t.Errorf("the archive: %d %.300s", status, text)
	}
}
