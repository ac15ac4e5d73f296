package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	root := flag.String("root", ".", "the repository's `folder`")
	only := flag.Bool("files-only", false, "write the files and do not run the generators that complete them")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/newservice [-files-only] NAME LETTER\n\nNAME is one lower-case word, LETTER a free capital: notes N")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*root, flag.Arg(0), flag.Arg(1), *only); err != nil {
		fmt.Fprintln(os.Stderr, "newservice:", err)
		os.Exit(1)
	}
}

// service is what the templates are filled with.
type service struct {
	Name   string // notes
	Type   string // Notes
	Title  string // Notes
	Letter string // N
}

var (
	nameForm   = regexp.MustCompile(`^[a-z][a-z0-9]{1,20}$`)
	letterForm = regexp.MustCompile(`^[A-Z]$`)
)

func run(root, name, letter string, filesOnly bool) error {
	switch {
	case !nameForm.MatchString(name):
		return fmt.Errorf("%q is not a name: use one lower-case word, which becomes the package's name", name)
	case !letterForm.MatchString(letter):
		return fmt.Errorf("%q is not a letter: use one capital that no service has (see test/conformance/rows.tsv)", letter)
	}
	if _, err := os.Stat(filepath.Join(root, "internal/service", name)); err == nil {
		return fmt.Errorf("internal/service/%s exists already", name)
	}
	s := service{Name: name, Type: strings.ToUpper(name[:1]) + name[1:], Letter: letter}
	s.Title = s.Type
	if err := writeFiles(root, s); err != nil {
		return err
	}
	if err := editLists(root, s); err != nil {
		return err
	}
	if filesOnly {
		return nil
	}
	for _, step := range steps(s) {
		fmt.Println("newservice:", strings.Join(step, " "))
		cmd := exec.Command(step[0], step[1:]...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(step, " "), err, out)
		}
	}
	fmt.Printf("newservice: internal/service/%s is ready; go on with docs/adding-a-service.md\n", name)
	return nil
}

// steps complete what depends on the program itself: golden files, the OpenAPI
// description, the authorization matrix, the pages of settings and clients.
func steps(s service) [][]string {
	return [][]string{
		{"gofmt", "-w", "internal/app/config.go", "internal/app/services.go"},
		{"go", "test", "-vet=off", "./internal/service/" + s.Name, "-run", "TestEnvelope", "-update"},
		{"go", "run", "./test/openapi", "-write", "docs/openapi"},
		{"go", "test", "-vet=off", "./test/matrix", "-update"},
		// The page is made from the meanings that the first run writes.
		{"go", "test", "-vet=off", "./internal/app/reference", "-update"},
		{"go", "test", "-vet=off", "./internal/app/reference", "-update"},
		{"go", "test", "-vet=off", "./test/product", "-run", "TestWorksWith", "-update"},
	}
}
