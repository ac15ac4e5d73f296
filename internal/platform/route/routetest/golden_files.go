package routetest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// update is the one switch that rewrites golden files. It is read-only after
// flag.Parse. Packages that use this helper declare no flag of that name.
var update = flag.Bool("update", false, "rewrite golden files")

// Golden compares got with testdata/NAME.golden and, with -update, writes it.
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", FileName(name)+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v\nrun the test with -update to write it; got:\n%s", err, got)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}

// FileName is a subtest's name with everything but letters, digits, dots and
// slashes turned into single dashes.
func FileName(name string) string {
	var out strings.Builder
	dash := false
	for _, c := range strings.ToLower(name) {
		if (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '_' {
			if dash && out.Len() > 0 {
				out.WriteByte('-')
			}
			dash = false
			out.WriteRune(c)
			continue
		}
		dash = true
	}
	return out.String()
}
