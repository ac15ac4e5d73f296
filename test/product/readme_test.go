package product_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/program"
)

// support are modules that clients stand on and readers do not look for.
func support() []string {
	return []string{
		"google.golang.org/protobuf", "github.com/googleapis/gax-go/v2", "k8s.io/apimachinery", "edn-data",
	}
}

var (
	operationLine = regexp.MustCompile("^\\| ([a-z]+) \\| `")
	clientLine    = regexp.MustCompile("^- `([^`]+)` (\\S+) \\(([a-z]+)\\)$")
	worksWith     = regexp.MustCompile(`(?s)(<!-- works with: [^>]*-->\n).*?(<!-- end -->)`)
)

// section is one heading of docs/sdks.md: what drove, and the services whose operations were driven.
type section struct {
	name     string
	clients  []string
	services []string
}

// sections reads docs/sdks.md.
func sections(t *testing.T, root string) []section {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "sdks.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []section
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			found = append(found, section{name: name})
			continue
		}
		if len(found) == 0 {
			continue
		}
		s := &found[len(found)-1]
		if m := operationLine.FindStringSubmatch(line); m != nil && !slices.Contains(s.services, m[1]) {
			s.services = append(s.services, m[1])
		}
		m := clientLine.FindStringSubmatch(line)
		if m == nil || slices.Contains(support(), m[1]) || m[1] == "golang.org/x/oauth2" && s.name != "device" {
			continue
		}
		version := strings.TrimPrefix(m[2], "v")
		if base, _, ok := strings.Cut(version, "-2"); ok {
			version = base // the rest names a commit
		}
		s.clients = append(s.clients, fmt.Sprintf("`%s` %s", m[1], version))
	}
	return found
}

// clients are which clients of docs/sdks.md drive which service. A section that is named after a service is about it;
// another one is named after a program, and counts for every service that the program has called.
func clients(t *testing.T, root string, services []string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, s := range sections(t, root) {
		about := []string{s.name}
		if !slices.Contains(services, s.name) {
			about = slices.DeleteFunc(s.services, func(name string) bool { return !slices.Contains(services, name) })
		}
		if len(about) == 0 && len(s.clients) > 0 {
			t.Errorf("docs/sdks.md: %v of %q drive no service", s.clients, s.name)
		}
		for _, name := range about {
			found[name] = append(found[name], s.clients...)
		}
	}
	return found
}

// TestWorksWith compares the table of README.md with docs/sdks.md and the services.
func TestWorksWith(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range app.Services() {
		names = append(names, m.Name)
	}
	driven := clients(t, root, names)
	var table strings.Builder
	table.WriteString("| service | clients |\n|---|---|\n")
	for _, m := range app.Services() {
		with := strings.Join(driven[m.Name], ", ")
		if with == "" {
			with = "any HTTP client"
		}
		fmt.Fprintf(&table, "| [%s](docs/services/%s.md) | %s |\n", m.Title, m.Name, with)
	}
	path := filepath.Join(root, "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !worksWith.Match(text) {
		t.Fatal("README.md has no place for the table")
	}
	want := worksWith.ReplaceAllString(string(text), "${1}"+table.String()+"${2}")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a page of the repository
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Error("the table of README.md is not current: go test ./test/product -run TestWorksWith -update")
	}
}

// TestReadmeExample runs the headline example as a reader would: in a module of its
// own, with the kit and the binary.
func TestReadmeExample(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```go\n")
	code, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("README.md has no example in Go")
	}
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range map[string]string{
		"client_test.go": code,
		"go.mod": "module example.com/client\n\ngo 1.26\n\nrequire stoa.dev/stoa/kit/go v0.0.0\n\n" +
			"replace stoa.dev/stoa/kit/go => " + filepath.Join(root, "kit", "go") + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "./...")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "STOA_BIN="+binary, "STOA_LAB_URL=", program.GoFlags("-mod=mod"),
		"GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
