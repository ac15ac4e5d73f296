package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packed is a release of a program that is a few bytes long.
func packed(t *testing.T, out string) release {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{
		"LICENSE", "README.md", "bin/package/stoa.1", "bin/package/stoa.bash", "bin/package/_stoa", "bin/package/stoa.fish",
		"bin/package/ca-certificates.crt", "packaging/stoa.service", "packaging/stoa.yaml", "program",
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	r := release{version: "1.2.3", out: out, root: root}
	for _, system := range []target{{"linux", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}} {
		if err := r.pack(system, filepath.Join(root, "program")); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.writeFormula(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheSameBytesAgain(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	r := packed(t, first)
	packed(t, second)
	names, err := r.made()
	if err != nil || len(names) != 6 {
		t.Fatalf("%v, %v; want three archives, a package, an image and a formula", names, err)
	}
	for _, name := range names {
		a, _ := os.ReadFile(filepath.Join(first, name))
		b, err := os.ReadFile(filepath.Join(second, name))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}

// newKey is a file with a key of its own, and the public half.
func newKey(t *testing.T) (path string, public ed25519.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, public
}

// TestTrial: a file that was changed after the release is noticed, by its sum, by the signature and by the formula.
func TestTrial(t *testing.T) {
	t.Parallel()
	r := packed(t, t.TempDir())
	key, _ := newKey(t)
	bill := filepath.Join(r.out, "sbom.json")
	text := []byte(`{"bomFormat":"CycloneDX","components":[{"purl":"pkg:golang/x@v1"}]}`)
	if err := errors.Join(os.WriteFile(bill, text, 0o600), r.sign(key)); err != nil {
		t.Fatal(err)
	}
	made := trial{r, key, ""}
	steps := map[string]func() (string, error){
		"checksums": made.checksums, "signature": made.signature, "bill": made.bill, "formula": made.formula,
	}
	for name, try := range steps {
		if said, err := try(); err != nil {
			t.Errorf("%s: %q, %v", name, said, err)
		}
	}
	for name, changed := range map[string]string{
		"checksums": "stoa_1.2.3_windows_amd64.zip", "signature": "checksums.txt", "bill": "sbom.json",
		"formula": "stoa_1.2.3_darwin_arm64.tar.gz",
	} {
		path := filepath.Join(r.out, changed)
		kept, err := os.ReadFile(path)
		if err := errors.Join(err, os.WriteFile(path, []byte("{}"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if said, err := steps[name](); err == nil {
			t.Errorf("%s: another %s is taken: %s", name, changed, said)
		}
		if err := os.WriteFile(path, kept, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	r := packed(t, t.TempDir())
	key, public := newKey(t)
	if err := r.sign(key); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(r.out, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := os.ReadFile(filepath.Join(r.out, "checksums.txt.sig"))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(encoded)))
	if err != nil || !ed25519.Verify(public, sums, signature) {
		t.Errorf("the signature does not verify: %v", err)
	}
	if strings.Count(string(sums), "\n") != 6 {
		t.Errorf("checksums:\n%s", sums)
	}
}

// TestPackage has dpkg's own tools read the package, where they are.
func TestPackage(t *testing.T) {
	t.Parallel()
	r := packed(t, t.TempDir())
	path := filepath.Join(r.out, "stoa_1.2.3_amd64.deb")
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, []byte("!<arch>\ndebian-binary   ")) {
		t.Fatalf("%.30q, %v", text, err)
	}
	dpkg, err := exec.LookPath("dpkg-deb")
	if err != nil {
		return // the form is checked above; only dpkg can say more
	}
	for arg, want := range map[string]string{
		"--info": "Version: 1.2.3", "--contents": "./usr/lib/systemd/system/stoa.service",
	} {
		out, err := exec.CommandContext(t.Context(), dpkg, arg, path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("dpkg-deb %s: %v, %s; want %q", arg, err, out, want)
		}
	}
}

// TestImage follows the digests from the index to the files of the image.
func TestImage(t *testing.T) {
	t.Parallel()
	r := packed(t, t.TempDir())
	text, err := os.ReadFile(filepath.Join(r.out, "stoa_1.2.3_image_amd64.tar"))
	if err != nil {
		t.Fatal(err)
	}
	files := untar(t, bytes.NewReader(text))
	var index struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	read := func(d descriptor, into any) []byte {
		blob := files["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if digest(blob) != d.Digest || len(blob) != d.Size {
			t.Fatalf("%s is not what the digest says", d.Digest)
		}
		if into != nil {
			if err := json.Unmarshal(blob, into); err != nil {
				t.Fatal(err)
			}
		}
		return blob
	}
	if err := json.Unmarshal(files["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatal(index, err)
	}
	read(index.Manifests[0], &manifest)
	read(manifest.Config, &struct{}{})
	found := map[string][]byte{}
	for _, layer := range manifest.Layers {
		z, err := gzip.NewReader(bytes.NewReader(read(layer, nil)))
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(found, untar(t, z))
	}
	names := slices.Sorted(maps.Keys(found))
	if string(found["stoa"]) != "program" || !slices.Contains(names, "data/") {
		t.Errorf("the image holds %v", names)
	}
}

func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFoldersComeFirst: dpkg and others make no folder that the archive does not name
// before its files.
func TestFoldersComeFirst(t *testing.T) {
	t.Parallel()
	made := map[string]bool{".": true}
	files := []file{{"./etc/stoa/stoa.yaml", 0o600, []byte("x")}, {"./usr/bin/stoa", 0o755, []byte("x")}}
	for _, f := range withFolders(files) {
		if above(f.name) != "" && !made[above(f.name)] {
			t.Errorf("%s comes before its folder", f.name)
		}
		made[f.name] = true
	}
	if len(made) != 7 {
		t.Errorf("%d names, want the files and their folders", len(made)-1)
	}
}

// TestLargeBinaryIsRefused: a release is not made of a binary beyond its bound.
func TestLargeBinaryIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "stoa")
	for _, c := range []struct {
		kind string
		size int64
		ok   bool
	}{{"full", 80_000_000, true}, {"plain", 80_000_001, false}, {"small", 45_000_000, true}, {"small", 45_000_001, false}} {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(c.size), f.Close()); err != nil {
			t.Fatal(err)
		}
		if err := checkSize(c.kind, path); (err == nil) != c.ok {
			t.Errorf("%s of %d bytes: %v", c.kind, c.size, err)
		}
	}
}
