package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// absent is how the programs below say that the tool's library is not there;
// whatever else goes wrong in them is a failure and no reason to skip.
const absent = 77

// run gives the list to a program of the ecosystem's own tool, one a line, and
// returns the lines it prints. A tool that is not installed is skipped by
// name; the comparisons with the library run everywhere.
func run(t *testing.T, list []string, name string, args ...string) []string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: its version order is not compared here", name)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdin = strings.NewReader(strings.Join(list, "\n") + "\n")
	var failed *exec.ExitError
	out, err := cmd.Output()
	if errors.As(err, &failed) && failed.ExitCode() == absent {
		t.Skipf("%s lacks the library that orders versions: it is not compared here", name)
	}
	if errors.As(err, &failed) {
		t.Fatalf("%s: %v\n%s", name, err, failed.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// agree asks for the sign of the comparison of each neighbouring pair.
func agree(t *testing.T, s catalog.System, name string, args ...string) {
	t.Helper()
	list := pairs(s)
	lines := run(t, list, name, args...)
	if len(lines) != len(list)-1 {
		t.Fatalf("%s gave %d answers, want %d", name, len(lines), len(list)-1)
	}
	checkAgainst(t, s, list, func(i int) int {
		n, err := strconv.Atoi(lines[i])
		if err != nil {
			t.Fatal(err)
		}
		return n
	})
}

// pip is how a program reaches pip's own copy of the packaging library.
const pip = `
import sys
try:
    from pip._vendor.packaging.version import parse
    from pip._vendor.packaging.utils import canonicalize_name
except ImportError:
    sys.exit(77)
`

func TestOrderAgreesWithPip(t *testing.T) {
	t.Parallel()
	agree(t, catalog.PyPI, "python3", "-c", pip+`
v = [parse(l.strip()) for l in sys.stdin]
for a, b in zip(v, v[1:]): print((a > b) - (a < b))`)
}

func TestCanonicalAgreesWithPip(t *testing.T) {
	t.Parallel()
	list := corpus(catalog.PyPI)
	for i, line := range run(t, list, "python3", "-c", pip+`
for l in sys.stdin: print(parse(l.strip()))`) {
		// Our canonical form pads to three parts, which pip's does not; both
		// must be the same version.
		ours := catalog.CanonicalVersion(catalog.PyPI, list[i])
		if catalog.CanonicalVersion(catalog.PyPI, line) != ours {
			t.Errorf("%q is %q for us and %q for pip", list[i], ours, line)
		}
	}
}

func TestNamesAgreeWithPip(t *testing.T) {
	t.Parallel()
	list := names()
	got := run(t, list, "python3", "-c", pip+`
for l in sys.stdin: print(canonicalize_name(l.strip()))`)
	if len(got) != len(list) {
		t.Fatalf("pip gave %d names, want %d", len(got), len(list))
	}
	for i, line := range got {
		if ours := catalog.CanonicalName(catalog.PyPI, list[i]); ours != line {
			t.Errorf("%q is %q for us and %q for pip", list[i], ours, line)
		}
	}
}

func TestOrderAgreesWithNPM(t *testing.T) {
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "npm", "root", "-g").Output()
	if err != nil {
		t.Skip("npm is not installed: its version order is not compared here")
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "npm", "node_modules", "semver")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("npm's version library is not where npm keeps it: it is not compared here")
	}
	agree(t, catalog.NPM, "node", "-e", fmt.Sprintf(`
const s = require(%q);
const v = require("fs").readFileSync(0, "utf8").trim().split("\n");
for (let i = 0; i + 1 < v.length; i++) console.log(s.compare(v[i], v[i+1]));`, dir))
}

func TestOrderAgreesWithRubyGems(t *testing.T) {
	t.Parallel()
	agree(t, catalog.RubyGems, "ruby", "-e", `
exit 77 unless defined?(Gem::Version)
v = STDIN.read.split("\n").map { |l| Gem::Version.new(l) }
v.each_cons(2) { |a, b| puts a <=> b }`)
}

// TestOrderAgreesWithMaven asks the class Maven itself orders versions with;
// its program prints one line of comparison for each pair.
func TestOrderAgreesWithMaven(t *testing.T) {
	t.Parallel()
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("java is not installed: Maven's version order is not compared here")
	}
	jars := mavenJars(t)
	if len(jars) == 0 {
		t.Skip("Maven is not installed: its version order is not compared here")
	}
	list := pairs(catalog.Maven)
	args := append([]string{"-cp", strings.Join(jars, ":"), "org.apache.maven.artifact.versioning.ComparableVersion"},
		list...)
	out, err := exec.CommandContext(t.Context(), java, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var signs []int
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 3 || !strings.Contains("<==>", fields[1]) {
			continue
		}
		signs = append(signs, map[string]int{"<": -1, "==": 0, ">": 1}[fields[1]])
	}
	if len(signs) != len(list)-1 {
		t.Fatalf("Maven gave %d answers, want %d", len(signs), len(list)-1)
	}
	checkAgainst(t, catalog.Maven, list, func(i int) int { return signs[i] })
}

// mavenJars are Maven's libraries, where distributions and images keep them.
func mavenJars(t *testing.T) []string {
	t.Helper()
	for _, folder := range []string{
		os.Getenv("MAVEN_HOME"), "/usr/share/maven", "/usr/share/apache-maven-*", "/opt/maven",
	} {
		jars, err := filepath.Glob(filepath.Join(folder, "lib", "*.jar"))
		if err == nil && folder != "" && len(jars) > 0 {
			return jars
		}
	}
	return nil
}
