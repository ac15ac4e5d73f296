package product_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/test/program"
)

// TestConductPage: the tables of docs/conduct.md are what the services state.
func TestConductPage(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, root, "docs/conduct.md")
	before, _, found := strings.Cut(text, "-update -->\n")
	if !found {
		t.Fatal("docs/conduct.md has no mark where the tables begin")
	}
	want := before + "-update -->\n" + conductTables()
	if *update {
		if err := os.WriteFile(filepath.Join(root, "docs", "conduct.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text != want && !*update {
		t.Error("docs/conduct.md is not what services state: run go test ./test/product -run TestConductPage -update")
	}
}

// conductTables are a table for each service.
func conductTables() string {
	var out strings.Builder
	service := ""
	for _, rule := range app.ConductRules() {
		if rule.Service != service {
			service = rule.Service
			title := service
			if service == conduct.Everywhere {
				title = "Every service"
			}
			fmt.Fprintf(&out, "\n### %s\n\n", title)
			out.WriteString("| rule | severity | a good client | why | contract | a client that breaks it |\n" +
				"|---|---|---|---|---|---|\n")
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s | %s |\n",
			rule.ID, rule.Severity, rule.Title, rule.Why, cell(rule.Contract), cell(rule.Example))
	}
	return out.String()
}

// cell keeps a text from ending its cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// TestConductRules: there are enough, over all services, and each says all that a
// report needs.
func TestConductRules(t *testing.T) {
	t.Parallel()
	const least = 40
	rules, services, seen := app.ConductRules(), map[string]int{}, map[string]bool{}
	for _, rule := range rules {
		services[rule.Service]++
		if seen[rule.ID] {
			t.Errorf("%s is stated twice", rule.ID)
		}
		seen[rule.ID] = true
		prefix, _, dotted := strings.Cut(rule.ID, ".")
		if dotted != (rule.Service != conduct.Everywhere) || dotted && prefix != rule.Service {
			t.Errorf("%s does not have the name of its service, %s", rule.ID, rule.Service)
		}
		for _, text := range []string{rule.Title, rule.Why, rule.Contract, rule.Example} {
			if text == "" {
				t.Errorf("%s does not say everything", rule.ID)
			}
		}
	}
	for _, m := range app.Services() {
		if services[m.Name] < 3 {
			t.Errorf("%s states %d rules", m.Name, services[m.Name])
		}
	}
	if len(rules) < least {
		t.Errorf("%d rules, want %d", len(rules), least)
	}
}
