// Command sbom prints a CycloneDX bill of materials of a Go binary and of the
// programs inside it, made from what the linker left in them:
// go run ./packaging/sbom bin/stoa PROGRAM…
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("name a binary, and the programs inside it")
	}
	var infos []*debug.BuildInfo
	for _, name := range args {
		info, err := buildinfo.ReadFile(name)
		if err != nil {
			return err
		}
		infos = append(infos, info)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(describe(infos[0], infos[1:]...))
}

type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// describe lists the program, the Go release and every module in it and in the
// programs inside it. There is no time and no serial number: the same binary
// gives the same bill.
func describe(info *debug.BuildInfo, inside ...*debug.BuildInfo) bill {
	out := bill{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{Component: component{
			Type: "application", Ref: info.Main.Path, Name: info.Main.Path, Version: info.Main.Version, Properties: settings(info),
		}},
		Components: []component{{
			Type: "platform", Ref: "go", Name: "go", Version: strings.TrimPrefix(info.GoVersion, "go"),
			PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
		}},
	}
	seen := map[string]bool{}
	for _, program := range append([]*debug.BuildInfo{info}, inside...) {
		for _, m := range program.Deps {
			// A module of this repository is replaced by its folder.
			if m.Replace != nil && !strings.HasPrefix(m.Replace.Path, ".") {
				m = m.Replace
			}
			c := component{
				Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version,
			}
			if c.Ref = c.PURL; seen[c.Ref] {
				continue
			}
			seen[c.Ref] = true
			if m.Sum != "" {
				c.Properties = []property{{Name: "go:sum", Value: m.Sum}}
			}
			out.Components = append(out.Components, c)
		}
	}
	return out
}

// settings are those that decide what the binary is.
func settings(info *debug.BuildInfo) []property {
	var out []property
	for _, s := range info.Settings {
		switch s.Key {
		case "CGO_ENABLED", "GOARCH", "GOOS", "-trimpath":
			out = append(out, property{Name: "go:" + s.Key, Value: s.Value})
		}
	}
	return out
}
