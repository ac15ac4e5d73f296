package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// insertion puts a line behind the last one that matches.
type insertion struct {
	file  string
	after string // regular expression
	line  string
}

// insertions are the lines outside the service's own files.
func insertions(s service) []insertion {
	const imports = `^\t"stoa\.dev/stoa/internal/service/[a-z]+"$`
	imported := fmt.Sprintf("\t%q", "stoa.dev/stoa/internal/service/"+s.Name)
	return []insertion{
		{"internal/app/services.go", imports, imported},
		{"internal/app/services.go", `^\t\t[a-z]+\.New\(.*\)\.Module\(\),$`,
			fmt.Sprintf("\t\t%s.New(w, identity, c.%s).Module(),", s.Name, s.Type)},
		{"internal/app/config.go", imports, imported},
		{"internal/app/config.go", "^\t[A-Za-z]+ +[a-z]+\\.Config +`yaml:\"[a-z]+\"`$",
			fmt.Sprintf("\t%s %s.Config `yaml:%q`", s.Type, s.Name, s.Name)},
		{"internal/app/config.go", `^\t\t[A-Za-z]+: +[a-z]+\.DefaultConfig\(\),$`,
			fmt.Sprintf("\t\t%s: %s.DefaultConfig(),", s.Type, s.Name)},
		{"internal/app/config.go", `^\t\tc\.[A-Za-z]+\.Validate\(\),$`, fmt.Sprintf("\t\tc.%s.Validate(),", s.Type)},
		{"test/conformance/rows.tsv", `.`, strings.Join([]string{
			s.Letter + "-01\tdefined\tendpoints\tPOST /" + s.Name + "/v1/items keeps an item and answers id, text, created",
			s.Letter + "-02\tdefined\tendpoints\tGET /" + s.Name + "/v1/items lists the caller's items",
			s.Letter + "-03\tdefined\tendpoints\tGET /" + s.Name + "/v1/items/{id} returns one item",
			s.Letter + "-04\tdefined\tendpoints\tDELETE /" + s.Name + "/v1/items/{id} removes it",
			s.Letter + "-N1\topen\tlimits\tHow many items a user may keep",
		}, "\n")},
		{"README.md", `^\| \[.*\]\(docs/services/[a-z]+\.md\) \| .* \|$`,
			fmt.Sprintf("| [%s](docs/services/%s.md) | any HTTP client |", s.Type, s.Name)},
		{"examples/README.md", `^\| [a-z]+ \| .* \|$`, "| " + s.Name + " | keeps a text and reads it again |"},
	}
}

func editLists(root string, s service) error {
	for _, i := range insertions(s) {
		path := filepath.Join(root, i.file)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		changed, err := i.apply(string(text))
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (i insertion) apply(text string) (string, error) {
	pattern := regexp.MustCompile(i.after)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	at := -1
	for n, line := range lines {
		if pattern.MatchString(line) {
			at = n
		}
	}
	if at < 0 {
		return "", fmt.Errorf("%s has no line like %s: mend the pattern in tools/newservice/edit_lists.go", i.file, i.after)
	}
	lines = append(lines[:at+1], append([]string{i.line}, lines[at+1:]...)...)
	return strings.Join(lines, "\n") + "\n", nil
}
