package main

import (
	"bytes"
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// target is where a template's text goes.
func (s service) target(name string) string {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".tmpl")
	name = strings.ReplaceAll(name, "NAME", s.Name)
	folder, file, _ := strings.Cut(name, "/")
	switch {
	case folder == "service":
		return "internal/service/" + s.Name + "/" + file
	case folder == "conformance":
		return "test/conformance/" + file
	case folder == "docs":
		return "docs/services/" + file
	case folder == "changelog":
		return "changelog/unreleased/" + file
	case folder == "answers":
		return "test/openapi/answers/" + file
	case strings.HasSuffix(file, ".go"):
		return "examples/go/" + s.Name + "/" + file
	}
	return "examples/js/" + file
}

// writeFiles fills every template. SQL has braces of its own, so ours are [[ and ]].
func writeFiles(root string, s service) error {
	return fs.WalkDir(templates, "templates", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := templates.ReadFile(name)
		if err != nil {
			return err
		}
		t, err := template.New(name).Delims("[[", "]]").Parse(string(text))
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, s); err != nil {
			return err
		}
		path := filepath.Join(root, s.target(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, out.Bytes(), 0o644)
	})
}
