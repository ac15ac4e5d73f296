package product_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/test/program"
)

var update = flag.Bool("update", false, "write the tables of generated pages")

// TestFaultsPage: the tables of docs/faults.md are what the catalogue says.
func TestFaultsPage(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "docs", "faults.md")
	text := read(t, root, "docs/faults.md")
	before, _, found := strings.Cut(text, "-update -->\n")
	if !found {
		t.Fatal("docs/faults.md has no mark where the tables begin")
	}
	want := before + "-update -->\n" + faultTables()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text != want && !*update {
		t.Error("docs/faults.md is not what the catalogue says: run go test ./test/product -run TestFaultsPage -update")
	}
}

// faultTables are a table for each service.
func faultTables() string {
	var out strings.Builder
	catalogue := app.FaultCatalogue()
	for _, m := range app.Services() {
		if len(m.Faults) == 0 {
			continue // it has the common ones
		}
		fmt.Fprintf(&out, "\n### %s\n\n| name | status | what happens | operations |\n|---|---|---|---|\n", m.Name)
		for _, f := range catalogue.Faults(m.Name) {
			fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", f.Name, statusText(f), f.Description, operationsText(f))
		}
		if example := exampleRule(m.Name, catalogue.Faults(m.Name)); example != "" {
			fmt.Fprintf(&out, "\n    %s\n", example)
		}
	}
	out.WriteString("\n## Kinds of jobs\n\nWhat `operation` may be with the service `jobs`.\n\n" +
		"| kind | what it does |\n|---|---|\n")
	for _, k := range app.JobKinds() {
		fmt.Fprintf(&out, "| `%s` | %s |\n", k.Name, k.About)
	}
	return out.String()
}

func statusText(f module.Fault) string {
	if f.Status == 0 {
		return ""
	}
	return fmt.Sprint(f.Status)
}

// operationsText names a few, and how many more there are.
func operationsText(f module.Fault) string {
	const few = 4
	if len(f.Operations) == 0 {
		return "all"
	}
	names := f.Operations
	more := ""
	if len(names) > few+1 {
		more = fmt.Sprintf(" and %d more", len(names)-few)
		names = names[:few]
	}
	return "`" + strings.Join(names, "`, `") + "`" + more
}

func exampleRule(service string, faults []module.Fault) string {
	f := faults[0]
	line := "stoa fault add first --service " + service
	if len(f.Operations) > 0 {
		line += " --operation " + f.Operations[0]
	}
	return line + " --first 1 --deed " + f.Name
}
