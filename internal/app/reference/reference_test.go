package reference_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/reference"
	"stoa.dev/stoa/internal/app/settings"
)

var update = flag.Bool("update", false, "write settings/meanings.tsv and docs/settings.md anew")

var pagePath = filepath.Join("..", "..", "..", "docs", "settings.md")

// TestMeaningsAreTheComments also fails on a setting without words.
func TestMeaningsAreTheComments(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	source := &comments{t: t, packages: map[string]map[string]*ast.StructType{}}
	var text bytes.Buffer
	for _, s := range settings.Describe(&config) {
		if !named(s.Owner) {
			t.Errorf("%s is declared in a struct without a name", s.Name)
			continue
		}
		meaning := source.meaning(s)
		if len(strings.Fields(meaning)) < 3 || !strings.HasSuffix(meaning, ".") {
			t.Errorf("%s has no words: write a sentence above %s.%s, not %q", s.Name, s.Owner, s.Field, meaning)
		}
		fmt.Fprintf(&text, "%s\t%s\n", s.Name, meaning)
	}
	compare(t, "../settings/meanings.tsv", text.Bytes())
}

func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	var page bytes.Buffer
	if err := reference.WritePage(&page, reference.Settings(&config)); err != nil {
		t.Fatal(err)
	}
	compare(t, pagePath, page.Bytes())
}

func compare(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil { //nolint:gosec // a page of the repository
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not current (%v): go test ./internal/app/reference -update, twice", path, err)
	}
}

// TestFileChangesNothing reads the written file as it is, and with every setting
// uncommented: both are the defaults.
func TestFileChangesNothing(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	entries := reference.Settings(&config)
	var file bytes.Buffer
	if err := reference.WriteFile(&file, entries); err != nil {
		t.Fatal(err)
	}
	var open strings.Builder
	for line := range strings.Lines(file.String()) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(line, "# Configuration of") &&
			!strings.HasPrefix(line, "# to change") {
			open.WriteString(rest)
		}
	}
	for name, text := range map[string]string{"as written": file.String(), "uncommented": open.String()} {
		got := app.DefaultConfig()
		if err := settings.ReadFile(&got, "stoa.yaml", []byte(text)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var changed bytes.Buffer
		if err := settings.Print(&changed, &got, &config); err != nil || changed.Len() > 0 {
			t.Errorf("%s: %v, changes\n%s", name, err, changed.String())
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	entries := reference.Settings(&config)
	for name, want := range map[string]struct {
		count int
		near  string
	}{
		"listen.http":            {1, ""},
		"STOA_LISTEN_HTTP":       {1, ""},
		"console":                {4, ""},
		"listen.htp":             {0, "listen.http"},
		"STOA_DEVICE_CODE_TTTL":  {0, "device.code_ttl"},
		"events.limits.anonymos": {0, "events.limits.anonymous"},
	} {
		found, near := reference.Find(entries, name)
		if len(found) != want.count || near != want.near {
			t.Errorf("%s: %d found, near %q; want %d, %q", name, len(found), near, want.count, want.near)
		}
	}
}
