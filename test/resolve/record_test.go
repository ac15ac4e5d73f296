//go:build resolve

package resolve_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/dump"
)

// recordedNames are the packages of each list that TestRecorded resolves.
func recordedNames() map[string][]string {
	return map[string][]string{
		"npm":   {"react-dom", "vite", "next", "styled-components", "yargs"},
		"pypi":  {"flask", "httpx", "pygithub", "jedi", "jupyter-events"},
		"cargo": {"clap", "rand", "serde_json", "tokio", "tempfile"},
		"maven": {
			"junit:junit", "com.zaxxer:HikariCP", "mysql:mysql-connector-java", "com.google.guava:guava",
			"ch.qos.logback:logback-classic",
		},
		"go": {
			"github.com/spf13/cobra", "github.com/stretchr/testify", "github.com/golang-jwt/jwt/v5", "go.uber.org/zap",
			"github.com/fatih/color",
		},
	}
}

// TestResolveRecord writes what TestRecorded reads: the tool's results, and what the
// registries told, reduced to what graphs are made of. STOA_RESOLVE_RECORD names the
// ecosystems, or all.
func TestResolveRecord(t *testing.T) {
	wanted := os.Getenv("STOA_RESOLVE_RECORD")
	if wanted == "" {
		t.Fatal("STOA_RESOLVE_RECORD names no ecosystem; make resolve-record sets it")
	}
	for _, tool := range tools() {
		if wanted == "all" || slices.Contains(strings.Split(wanted, ","), tool.name) {
			t.Run(tool.name, func(t *testing.T) { recordAll(t, tool) })
		}
	}
}

func recordAll(t *testing.T, tool tool) {
	h := online(t)
	kept := map[string]bool{}
	text := fmt.Sprintf("system %s\n", tool.system)
	if tool.system == catalog.PyPI {
		text += fmt.Sprintf("python %s\n", pythonVersion())
	}
	for _, r := range readList(t, tool.name) {
		if !slices.Contains(recordedNames()[tool.name], r.name) {
			continue
		}
		if r.fill(t, h, tool); !r.report(t) {
			t.Errorf("%s is not recorded: it differs", r.name)
			continue
		}
		text += r.name + " " + r.version + "\n"
		for _, node := range append(r.tool, r.name+" "+r.version) {
			kept[node] = true
		}
		for _, node := range r.tool {
			text += "\t" + node + "\n"
		}
	}
	file := filepath.Join(t.TempDir(), "all.jsonl")
	command(t, h, "packages export", file)
	base := filepath.Join("testdata", "recorded", tool.name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(base), 0o755), os.WriteFile(base+".result", []byte(text), 0o644),
		reduce(file, base+".dump.gz", kept)); err != nil {
		t.Fatal(err)
	}
}

// reduce writes a dump again with what graphs are made of.
func reduce(from, to string, kept map[string]bool) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 256<<20)
	var list []catalog.Package
	for lines.Scan() {
		var p catalog.Package
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return err
		}
		if p.Key.Name == "" {
			continue // the head
		}
		reducePackage(&p, kept)
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b catalog.Package) int { return strings.Compare(a.Key.Name, b.Key.Name) })
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(packed)
	err = errors.Join(lines.Err(), encoder.Encode(dump.NewHead(int64(len(list)))))
	for i := range list {
		err = errors.Join(err, encoder.Encode(list[i]))
	}
	return errors.Join(err, packed.Close(), out.Close())
}

// newest is how many of the newest versions stay, whatever they are for: a graph
// must be able to go wrong.
const newest = 6

func reducePackage(p *catalog.Package, kept map[string]bool) {
	p.Normalize()
	var versions []catalog.Version
	for i, v := range p.Versions {
		listed := p.Key.System == catalog.NPM
		// A lock file of cargo has every platform's crates, so all of them stay.
		read := v.Requires != nil && !listed && (v.Requires.PyPI == nil || v.Requires.PyPI.Unknown == "")
		if !kept[p.Key.Name+" "+v.Key.Version] && !read && i < len(p.Versions)-newest && v.Key.Version != p.Tag {
			continue
		}
		if v.Requires != nil && v.Requires.Maven != nil {
			v.Requires.Maven.Repositories = nil
		}
		one := catalog.Version{
			Key: v.Key, Default: v.Default, Deprecated: v.Deprecated, Requires: v.Requires, Complete: v.Complete,
		}
		for _, a := range v.Artifacts {
			one.Artifacts = append(one.Artifacts, catalog.Artifact{URL: "https://files.example/" + path.Base(a.URL)})
		}
		versions = append(versions, one)
	}
	p.Versions = versions
}
