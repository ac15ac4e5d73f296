//go:build online

package browser_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

// axeVersion is the release of axe-core that judges the pages.
const axeVersion = "4.10.3"

// axeSource fetches axe-core from the npm registry that is configured, once.
func axeSource(t *testing.T) string {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, ".cache", "axe-"+axeVersion)
	file := filepath.Join(folder, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(file); err != nil {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "npm", "install", "--prefix", folder, "--no-audit", "--no-fund",
			"axe-core@"+axeVersion).CombinedOutput()
		if err != nil {
			t.Fatalf("npm install axe-core: %v\n%s", err, out)
		}
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// violation is what axe-core found.
type violation struct {
	ID    string   `json:"id"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// TestAxe asks axe-core about every page of the console that an administrator is led
// to, on a phone and on a desktop, in both colour schemes.
func TestAxe(t *testing.T) {
	t.Parallel()
	source := axeSource(t)
	s := start(t)
	for _, size := range screens() {
		t.Run(size.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, size, s.url)
			b.admin = true
			b.open("/console/sign-in?next=/console")
			s.forTest(t).signIn(b)
			seen := map[string]bool{}
			b.walk("/console", func(name string) {
				for _, scheme := range []string{"light", "dark"} {
					b.emulate(scheme)
					for _, v := range b.axe(source) {
						if key := v.ID + strings.Join(v.Nodes, ""); !seen[key] {
							seen[key] = true
							t.Errorf("%s, %s: %s: %s\n  %s", name, scheme, v.ID, v.Help, strings.Join(v.Nodes, "\n  "))
						}
					}
				}
			})
		})
	}
}

// axe runs the rules of WCAG 2.2 level A and AA on the page.
func (b *tab) axe(source string) []violation {
	b.t.Helper()
	if !evaluate[bool](b, `typeof window.axe === "object"`) {
		evaluate[bool](b, source+"\n;true")
	}
	evaluate[bool](b, `window.found = null, axe.run(document, {runOnly: {type: "tag", values: ["wcag2a", "wcag2aa",
		"wcag21a", "wcag21aa", "wcag22aa"]}}).then(r => { window.found = JSON.stringify(r.violations.map(v => ({
		id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))}))) }), true`)
	for !evaluate[bool](b, `window.found !== null`) {
		time.Sleep(20 * time.Millisecond)
	}
	var list []violation
	if err := json.Unmarshal([]byte(evaluate[string](b, `window.found`)), &list); err != nil {
		b.t.Fatal(err)
	}
	return list
}
