package execute

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// tarOf writes an archive as a hostile program might.
func tarOf(tb testing.TB, headers ...tar.Header) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if err := w.WriteHeader(&h); err != nil {
			tb.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := io.CopyN(w, strings.NewReader(strings.Repeat("x", int(h.Size))), h.Size); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// few is enough for a test.
var few = bounds{bytes: 1 << 20, entries: 1000}

func same(name string) (string, error) { return name, nil }

func TestRepack(t *testing.T) {
	t.Parallel()
	one := tarOf(t, tar.Header{Name: "./a", Typeflag: tar.TypeReg, Mode: 0o4755, Size: 3},
		tar.Header{Name: "d/", Typeflag: tar.TypeDir, Mode: 0o700})
	two := tarOf(t,
		tar.Header{Name: "pipe", Typeflag: tar.TypeFifo}, tar.Header{Name: "disk", Typeflag: tar.TypeBlock,
			Devmajor: 8},
		tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, tar.Header{Name: "h",
			Typeflag: tar.TypeLink, Linkname: "./a"})
	var out bytes.Buffer
	if _, err := repack(&out, bytes.NewReader(append(one, two...)), few, same); err != nil {
		t.Fatalf("repack: %v", err)
	}
	var got []string
	err := walkArchive(&out, maxEntries, func(h *tar.Header, _ io.Reader) error {
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name+" "+h.Linkname)
		return nil
	})
	want := "-rwxr-xr-x a |drwx------ d/ |Lrwxrwxrwx l /etc/passwd|---------- h a"
	if text := strings.Join(got, "|"); err != nil || strings.ReplaceAll(text, "L---------", "Lrwxrwxrwx") != want {
		t.Errorf("got %q, %v; want %q", text, err, want)
	}
	for name, limit := range map[string]bounds{"size": {600, 100}, "nothing": {0, 100}, "entries": {1 << 20, 1}} {
		if _, err := repack(io.Discard, bytes.NewReader(one), limit, same); !errors.Is(err, errBound) {
			t.Errorf("%s: repack = %v, want errBound", name, err)
		}
	}
	if _, err := repack(io.Discard, bytes.NewReader(one[:513]), few, same); err == nil {
		t.Error("half an archive was taken for a whole one")
	}
}

// TestRepackForgedSize announces a file so large that adding to its size would
// make it small.
func TestRepackForgedSize(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: math.MaxInt64 - 100,
		Format: tar.FormatPAX}); err != nil {
		t.Fatal(err)
	}
	if _, err := repack(io.Discard, &b, few, same); !errors.Is(err, errBound) {
		t.Errorf("repack = %v, want errBound", err)
	}
}

// TestRepackNames checks that names and links which cost the reader much are
// refused.
func TestRepackNames(t *testing.T) {
	t.Parallel()
	limit := bounds{bytes: 1 << 30, entries: maxEntries}
	for name, headers := range map[string][]tar.Header{
		"a deep name":      {{Name: strings.Repeat("a/", 100_000) + "b", Typeflag: tar.TypeReg}},
		"a long link":      {{Name: "l", Typeflag: tar.TypeSymlink, Linkname: strings.Repeat("a", 100_000)}},
		"a long hard link": {{Name: "l", Typeflag: tar.TypeLink, Linkname: strings.Repeat("a", 100_000)}},
		"many links": func() (all []tar.Header) {
			for i := range 5000 {
				all = append(all, tar.Header{Name: fmt.Sprint(strings.Repeat("a", 4000), i), Typeflag: tar.TypeSymlink,
					Linkname: "x"})
			}
			return all
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := repack(io.Discard, bytes.NewReader(tarOf(t, headers...)), limit, same); !errors.Is(err,
				errBound) {
				t.Errorf("repack = %v, want errBound", err)
			}
		})
	}
}

// FuzzRepack finds no archive that comes out with a name that leads out of it
// or through one of its links.
func FuzzRepack(f *testing.F) {
	fuzztest.Bytes(f,
		tarOf(f, tar.Header{Name: "a/b", Typeflag: tar.TypeReg, Size: 10}),
		tarOf(f, tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "x"},
			tar.Header{Name: "l/y", Typeflag: tar.TypeReg}),
		tarOf(f, tar.Header{Name: "../x", Typeflag: tar.TypeReg}),
	)
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		if _, err := repack(&out, bytes.NewReader(data), few, same); err != nil {
			return
		}
		links := map[string]bool{}
		err := walkArchive(&out, maxEntries, func(h *tar.Header, content io.Reader) error {
			name := path.Clean(h.Name)
			if path.IsAbs(h.Name) || name == ".." || strings.HasPrefix(name, "../") {
				t.Fatalf("the name %q leads out", h.Name)
			}
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				if links[dir] {
					t.Fatalf("%q lies behind a link", h.Name)
				}
			}
			links[name] = h.Typeflag == tar.TypeSymlink
			_, err := io.Copy(io.Discard, content)
			return err
		})
		if err != nil {
			t.Fatalf("what was repacked cannot be read: %v", err)
		}
	})
}
