package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab/control"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/test/openapi/answers"
	"stoa.dev/stoa/test/program"
)

func main() {
	dir := flag.String("write", "",
		"`folder` to write NAME.json files to; empty prints nothing and only checks that they can be made")
	heard := flag.String("learn", "",
		"`folder` with what the conformance suite was answered; its shapes replace those in test/openapi/answers")
	flag.Parse()
	if err := run(context.Background(), *dir, *heard); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, heard string) error {
	if heard != "" {
		if err := learn(heard); err != nil {
			return err
		}
	}
	files, err := generate(ctx)
	if err != nil || dir == "" {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// learn writes the shapes of the answers that a run of the conformance suite
// left in a folder.
func learn(heard string) error {
	root, err := program.Root()
	if err != nil {
		return err
	}
	book, err := answers.Gather(heard)
	if err != nil {
		return err
	}
	return book.Write(shapes(root))
}

func shapes(root string) string { return filepath.Join(root, "test", "openapi", "answers") }

// modules are what is described: the services and the control API of labs.
func modules() []module.Module {
	return append(app.Services(), module.Module{
		Name: "lab", Title: "Lab", Letter: "v1", Routes: new(control.API).Routes(),
	})
}

// home is the import path that the code of a module begins with.
func home(name string) string {
	if name == "lab" {
		return "stoa.dev/stoa/internal/lab/control"
	}
	return "stoa.dev/stoa/internal/service/" + name
}

// generate makes the file of every service that has routes.
func generate(ctx context.Context) (map[string][]byte, error) {
	root, err := program.Root()
	if err != nil {
		return nil, err
	}
	code, err := load(ctx, root, "./internal/service/...", "./internal/platform/fault", "./internal/platform/oauth",
		"./internal/identity/authorize", "./internal/lab/control")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var wordless []error
	for _, m := range modules() {
		if len(m.Routes) == 0 {
			continue
		}
		learnt, err := answers.Read(shapes(root), m.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		said, err := readWords(root, m.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		described, err := describe(code, m, learnt, said)
		if err != nil {
			wordless = append(wordless, fmt.Errorf("%s: %w", m.Name, err))
		}
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(described); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		files[m.Name+".json"] = out.Bytes()
	}
	return files, errors.Join(wordless...)
}
