package source_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// ranged serves pages, and parts of them where a part is asked for.
type ranged struct {
	pages
	// refuses makes it send the whole.
	refuses bool
	sent    int
}

func (r *ranged) Get(ctx context.Context, in registry.Request) (*registry.Response, error) {
	res, err := r.pages.Get(ctx, in)
	if err != nil || in.Range == "" || r.refuses {
		return res, err
	}
	w := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	req.Header.Set("Range", in.Range)
	http.ServeContent(w, req, "x.whl", res.Modified, bytes.NewReader(res.Body))
	res.Body, res.Part = w.Body.Bytes(), w.Header().Get("Content-Range")
	r.sent += len(res.Body)
	return res, nil
}

// wheel is a wheel whose metadata lies before a filling of some bytes.
func wheel(t *testing.T, metadata string, filling int) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range []struct {
		name, text string
	}{{"x-1.0.dist-info/METADATA", metadata}, {"x/big.bin", strings.Repeat("z", filling)}} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPyPIMetadata reads requirements where pip reads them, and says why they
// are not known where they cannot be.
func TestPyPIMetadata(t *testing.T) {
	t.Parallel()
	const whl, sdist = "x-1.0-py3-none-any.whl", "x-1.0.tar.gz"
	const needs = "Requires-Dist: a>=1\n"
	info := func(text string) string { return archive(t, map[string]string{"x-1.0/PKG-INFO": text}) }
	packed := archive(t, map[string]string{
		"x-1.0/PKG-INFO":                "Metadata-Version: 1.1\n",
		"x-1.0/x.egg-info/requires.txt": "a>=1\n\n[fast:python_version < \"3\"]\nb\n",
	})
	for _, row := range []struct {
		name    string
		files   map[string]string
		refuses bool
		want    string
	}{
		{"beside the wheel", map[string]string{whl: "", whl + ".metadata": needs}, false, "[{a  >=1 }]"},
		{"in the wheel", map[string]string{whl: wheel(t, needs, 10)}, false, "[{a  >=1 }]"},
		{"at the wheel's beginning", map[string]string{whl: wheel(t, needs, 1<<20)}, false, "[{a  >=1 }]"},
		{"in a wheel that comes whole", map[string]string{whl: wheel(t, needs, 10)}, true, "[{a  >=1 }]"},
		{
			"a wheel before the source",
			map[string]string{whl: wheel(t, needs, 10), sdist: info("Metadata-Version: 2.2\n")}, false,
			"[{a  >=1 }]",
		},
		{"the latest build of a wheel", map[string]string{
			whl: wheel(t, "", 10), "x-1.0-2-py3-none-any.whl": wheel(t, needs, 10), "x-1.0-1-py3-none-any.whl": wheel(t, "", 10),
		}, false, "[{a  >=1 }]"},
		{"a final source", map[string]string{sdist: info("Metadata-Version: 2.2\n" + needs)}, false, "[{a  >=1 }]"},
		{"a final source that needs nothing", map[string]string{sdist: info("Metadata-Version: 2.4\n")}, false, "[]"},
		{
			"a dynamic source",
			map[string]string{sdist: info("Metadata-Version: 2.2\nDynamic: Requires-Dist\n")}, false,
			"[] they are found out",
		},
		{"an old source", map[string]string{sdist: info("Metadata-Version: 1.2\n")}, false, "[] they are found out"},
		{"an old source, packed", map[string]string{sdist: packed}, false,
			`[{a  >=1 } {b   (python_version < "3") and extra == "fast"}] these are what`},
		{
			"files that are gone", map[string]string{whl: "", sdist: "", "gone": "yes"}, false,
			"[] no file of it could be read",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			page, p := "", pages{}
			for name, text := range row.files {
				p[pypiAt+"/f/"+name] = text
				if row.files["gone"] != "" {
					delete(p, pypiAt+"/f/"+name)
				}
				if !strings.HasSuffix(name, ".metadata") {
					page += fmt.Sprintf(`<a href="/f/%s" data-requires-python="&gt;=3.8">`, name)
				}
			}
			p[pypiAt+"/x/"] = page
			from := &ranged{pages: p, refuses: row.refuses}
			s := source.New(catalog.PyPI, from, []registry.Address{address(t, pypiAt)}, nil)
			list, err := s.Package(t.Context(), "x", source.Validators{})
			if err != nil {
				t.Fatal(err)
			}
			listed := list.Package.Versions[0]
			if r := listed.Requires.PyPI; r.Python != ">=3.8" || r.Unknown == "" {
				t.Errorf("the list tells %+v", r)
			}
			v, err := s.Version(t.Context(), listed)
			if err != nil {
				t.Fatal(err)
			}
			r := v.Requires.PyPI
			if got := strings.TrimSpace(
				fmt.Sprintf("%v %s", r.Dependencies, r.Unknown),
			); !strings.HasPrefix(got, row.want) {
				t.Errorf("requirements %q, want %q", got, row.want)
			}
			if r.Python != ">=3.8" {
				t.Errorf("Python %q", r.Python)
			}
			if from.sent > 400<<10 {
				t.Errorf("%d bytes were sent", from.sent)
			}
			if row.refuses && len(v.Artifacts[0].Hashes) != 4 {
				t.Errorf("%d digests of a file that came whole, want 4", len(v.Artifacts[0].Hashes))
			}
		})
	}
}

// TestPyPIKeepsTheAuthorsSpelling: the index folds names, the metadata does not.
func TestPyPIKeepsTheAuthorsSpelling(t *testing.T) {
	t.Parallel()
	p := pages{
		pypiAt + "/x-y/": `<a href="/f/x_y-1.0-py3-none-any.whl">`,
		pypiAt + "/f/x_y-1.0-py3-none-any.whl.metadata": "Name: X_Y\n",
	}
	s := source.New(catalog.PyPI, p, []registry.Address{address(t, pypiAt)}, nil)
	list, err := s.Package(t.Context(), "x-y", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Version(t.Context(), list.Package.Versions[0])
	if err != nil || v.Upstream[0].Name != "X_Y" {
		t.Errorf("upstream %+v, %v", v, err)
	}
}
