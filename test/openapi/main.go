package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/program"
)

func main() {
	dir := flag.String("write", "", "`folder` to write NAME.json files to; empty prints nothing and only checks that they can be made")
	flag.Parse()
	if err := run(context.Background(), *dir); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) error {
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

// generate makes the file of every service that has routes.
func generate(ctx context.Context) (map[string][]byte, error) {
	root, err := program.Root()
	if err != nil {
		return nil, err
	}
	code, err := load(ctx, root, "./internal/service/...", "./internal/platform/fault", "./internal/platform/oauth")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, m := range app.Services() {
		if len(m.Routes) == 0 {
			continue
		}
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(describe(code, m)); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		files[m.Name+".json"] = out.Bytes()
	}
	return files, nil
}
