package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	depsdev "deps.dev/util/semver"
	"golang.org/x/mod/semver"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// corpusSize is how many versions are made up for each ecosystem.
const corpusSize = 2000

// corpus makes up versions in an ecosystem's spellings, always the same.
func corpus(s catalog.System) []string {
	r := rand.New(rand.NewPCG(uint64(s.Number()), 7))
	number := func() string { return strconv.Itoa(r.IntN(12)) }
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	list := make([]string, corpusSize)
	for i := range list {
		core := number() + "." + number() + "." + number()
		switch s {
		case catalog.Go:
			list[i] = "v" + core + pick("", "", "-rc."+number(), "-alpha", "-beta."+number()+".x", "-0.20200101000000-abcdefabcdef", "+incompatible")
		case catalog.NPM, catalog.Cargo:
			list[i] = core + pick("", "", "-rc."+number(), "-alpha", "-beta."+number()+".x", "-"+number(), "-x-y-z", "+build."+number())
		case catalog.PyPI:
			list[i] = pick("", "", "1!", "v") + pick(core, number()+"."+number(), core+"."+number()) +
				pick("", "", "a"+number(), "b"+number(), "rc"+number(), ".post"+number(), ".dev"+number(), "-"+number(), "+local."+number(), "a1.dev2")
		case catalog.Maven:
			list[i] = pick(core, number()+"."+number(), core+"."+number()) +
				pick("", "", "-SNAPSHOT", "-alpha-"+number(), "-beta", "-rc"+number(), "-M"+number(), ".Final", "-sp", "-jre", "."+number()+".GA", "-xyz")
		case catalog.NuGet:
			list[i] = pick(core, number()+"."+number(), core+"."+number()) + pick("", "", "-beta", "-Beta."+number(), "-rc-"+number(), "+meta")
		case catalog.RubyGems:
			list[i] = pick(core, number()+"."+number(), core+"."+number()) + pick("", "", ".pre"+number(), ".rc"+number(), ".beta", ".a."+number())
		}
	}
	return list
}

// checkAgainst compares neighbours of the corpus with another judge.
func checkAgainst(t *testing.T, s catalog.System, list []string, judge func(i int) int) {
	t.Helper()
	bad := 0
	for i := range len(list) - 1 {
		got := sign(catalog.Compare(s, list[i], list[i+1]))
		want := sign(judge(i))
		if want == 0 && strings.TrimSpace(list[i]) != list[i+1] {
			// Equal for the tool; our order then goes by spelling.
			continue
		}
		if got != want {
			if bad++; bad < 6 {
				t.Errorf("%s: %q and %q compare as %d, want %d", s, list[i], list[i+1], got, want)
			}
		}
	}
	if bad >= 6 {
		t.Errorf("%s: %d of %d comparisons differ", s, bad, len(list)-1)
	}
}

func TestOrderAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	for s, rules := range map[catalog.System]depsdev.System{
		catalog.Go: depsdev.Go, catalog.NPM: depsdev.NPM, catalog.Cargo: depsdev.Cargo, catalog.PyPI: depsdev.PyPI,
		catalog.Maven: depsdev.Maven, catalog.NuGet: depsdev.NuGet, catalog.RubyGems: depsdev.RubyGems,
	} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			list := corpus(s)
			checkAgainst(t, s, list, func(i int) int { return rules.Compare(list[i], list[i+1]) })
		})
	}
}

func TestOrderAgreesWithTheGoCommand(t *testing.T) {
	t.Parallel()
	list := corpus(catalog.Go)
	checkAgainst(t, catalog.Go, list, func(i int) int { return semver.Compare(list[i], list[i+1]) })
	// Cargo follows the same public standard, without the letter.
	cargo := corpus(catalog.Cargo)
	checkAgainst(t, catalog.Cargo, cargo, func(i int) int { return semver.Compare("v"+cargo[i], "v"+cargo[i+1]) })
}

// ask runs an ecosystem's own tool over the corpus; it prints the sign of the
// comparison of each neighbouring pair, one a line.
func ask(t *testing.T, s catalog.System, list []string, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdin = strings.NewReader(strings.Join(list, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s cannot be asked here: %v", name, err)
	}
	lines := strings.Fields(string(out))
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

func TestOrderAgreesWithPip(t *testing.T) {
	t.Parallel()
	ask(t, catalog.PyPI, corpus(catalog.PyPI), "python3", "-c", `
import sys
from pip._vendor.packaging.version import parse
v = [parse(l.strip()) for l in sys.stdin]
for a, b in zip(v, v[1:]): print((a > b) - (a < b))`)
}

func TestCanonicalAgreesWithPip(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	list := corpus(catalog.PyPI)
	cmd := exec.CommandContext(t.Context(), path, "-c", `
import sys
from pip._vendor.packaging.version import parse
for l in sys.stdin: print(parse(l.strip()))`)
	cmd.Stdin = strings.NewReader(strings.Join(list, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("pip cannot be asked here: %v", err)
	}
	for i, line := range strings.Fields(string(out)) {
		// Our canonical form pads to three parts, which pip's does not; both
		// must be the same version.
		ours := catalog.CanonicalVersion(catalog.PyPI, list[i])
		if catalog.CanonicalVersion(catalog.PyPI, line) != ours {
			t.Errorf("%q is %q for us and %q for pip", list[i], ours, line)
		}
	}
}

func TestOrderAgreesWithNPM(t *testing.T) {
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "npm", "root", "-g").Output()
	if err != nil {
		t.Skip("npm is not installed")
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "npm", "node_modules", "semver")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("npm's version library is not where npm keeps it")
	}
	ask(t, catalog.NPM, corpus(catalog.NPM), "node", "-e", fmt.Sprintf(`
const s = require(%q);
const v = require("fs").readFileSync(0, "utf8").trim().split("\n");
for (let i = 0; i + 1 < v.length; i++) console.log(s.compare(v[i], v[i+1]));`, dir))
}

// TestOrderAgreesWithMaven asks the class Maven itself orders versions with;
// its program prints one line of comparison for each pair.
func TestOrderAgreesWithMaven(t *testing.T) {
	t.Parallel()
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("java is not installed")
	}
	jars, err := filepath.Glob("/usr/share/maven/lib/*.jar")
	if err != nil || len(jars) == 0 {
		t.Skip("maven's libraries are not installed")
	}
	list := corpus(catalog.Maven)
	args := append([]string{"-cp", strings.Join(jars, ":"), "org.apache.maven.artifact.versioning.ComparableVersion"}, list...)
	out, err := exec.CommandContext(t.Context(), java, args...).Output()
	if err != nil {
		t.Skipf("maven cannot be asked here: %v", err)
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
		t.Fatalf("maven gave %d answers, want %d", len(signs), len(list)-1)
	}
	checkAgainst(t, catalog.Maven, list, func(i int) int { return signs[i] })
}
