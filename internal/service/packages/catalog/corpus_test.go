package catalog_test

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
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
			list[i] = "v" + core + pick("", "", "-rc."+number(), "-alpha", "-beta."+number()+".x",
				"-0.20200101000000-abcdefabcdef", "+incompatible")
		case catalog.NPM, catalog.Cargo:
			list[i] = core + pick("", "", "-rc."+number(), "-alpha", "-beta."+number()+".x", "-"+number(), "-x-y-z",
				"+build."+number())
		case catalog.PyPI:
			list[i] = pick("", "", "1!", "v") + pick(core, number()+"."+number(), core+"."+number()) +
				pick("", "", "a"+number(), "b"+number(), "rc"+number(), ".post"+number(), ".dev"+number(), "-"+number(),
					"+local."+number(), "a1.dev2")
		case catalog.Maven:
			list[i] = pick(core, number()+"."+number(), core+"."+number()) +
				pick("", "", "-SNAPSHOT", "-alpha-"+number(), "-beta", "-rc"+number(), "-M"+number(), ".Final", "-sp",
					"-jre", "."+number()+".GA", "-xyz")
		case catalog.NuGet:
			list[i] = pick(core, number()+"."+number(), core+"."+number()) + pick("", "", "-beta", "-Beta."+number(),
				"-rc-"+number(), "+meta")
		case catalog.RubyGems:
			list[i] = pick(core, number()+"."+number(), core+"."+number()) + pick("", "", ".pre"+number(),
				".rc"+number(), ".beta", ".a."+number())
		}
	}
	return list
}

// pairs is the corpus as it was made up and once more in our order, so that
// neighbours are both far apart and next to each other.
func pairs(s catalog.System) []string {
	list := corpus(s)
	sorted := make([]catalog.Version, len(list))
	for i, text := range list {
		sorted[i].Key.Version = text
	}
	catalog.Sort(s, sorted)
	for _, v := range sorted {
		list = append(list, v.Key.Version)
	}
	return list
}

// checkAgainst compares neighbours of the list with another judge.
func checkAgainst(t *testing.T, s catalog.System, list []string, judge func(i int) int) {
	t.Helper()
	bad := 0
	for i := range len(list) - 1 {
		got, want := sign(catalog.Compare(s, list[i], list[i+1])), sign(judge(i))
		if want == 0 {
			// Our order is total and goes by spelling among equals; what lies
			// under it must hold them for equal as well.
			got = libraries()[s].Compare(list[i], list[i+1])
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

// libraries are the rules of the service whose API this is.
func libraries() map[catalog.System]depsdev.System {
	return map[catalog.System]depsdev.System{
		catalog.Go: depsdev.Go, catalog.NPM: depsdev.NPM, catalog.Cargo: depsdev.Cargo, catalog.PyPI: depsdev.PyPI,
		catalog.Maven: depsdev.Maven, catalog.NuGet: depsdev.NuGet, catalog.RubyGems: depsdev.RubyGems,
	}
}

func TestOrderAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	for s, rules := range libraries() {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			list := pairs(s)
			checkAgainst(t, s, list, func(i int) int { return rules.Compare(list[i], list[i+1]) })
		})
	}
}

// TestCanonicalAgreesWithTheLibrary: the spelling we store is the same
// version, is its own spelling, and is the library's where the ecosystem has
// a normal form.
func TestCanonicalAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	for s, rules := range libraries() {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			for _, text := range corpus(s) {
				v, err := rules.Parse(text)
				if err != nil {
					t.Fatalf("the library cannot read %q: %v", text, err)
				}
				got := catalog.CanonicalVersion(s, text)
				if again := catalog.CanonicalVersion(s, got); again != got || rules.Compare(got, text) != 0 {
					t.Errorf("%q is %q, which is %q", text, got, again)
				}
				normal := s == catalog.PyPI || s == catalog.NuGet
				if want := v.Canon(s == catalog.PyPI); normal && got != want {
					t.Errorf("%q is %q, want %q", text, got, want)
				}
			}
		})
	}
}

func TestOrderAgreesWithTheGoCommand(t *testing.T) {
	t.Parallel()
	list := pairs(catalog.Go)
	checkAgainst(t, catalog.Go, list, func(i int) int { return semver.Compare(list[i], list[i+1]) })
	// Cargo follows the same public standard, without the letter.
	cargo := pairs(catalog.Cargo)
	checkAgainst(t, catalog.Cargo, cargo, func(i int) int { return semver.Compare("v"+cargo[i], "v"+cargo[i+1]) })
}

// TestOrderAgreesWithNuGetsRules judges by the four sentences of NuGet's
// documentation, since its tool is seldom installed: up to four numbers, a
// missing one is zero, labels compare without letter case part by part, and
// metadata is no part of the version.
func TestOrderAgreesWithNuGetsRules(t *testing.T) {
	t.Parallel()
	list := pairs(catalog.NuGet)
	checkAgainst(t, catalog.NuGet, list, func(i int) int { return compareNuGet(list[i], list[i+1]) })
	for _, text := range list {
		numbers, label := nugetParts(text)
		want := ""
		for i, n := range numbers {
			if i < 3 || n != 0 {
				want += "." + strconv.Itoa(n)
			}
		}
		if label != "" {
			want += "-" + label
		}
		if got := catalog.CanonicalVersion(catalog.NuGet, text); !strings.EqualFold(got, want[1:]) {
			t.Errorf("%q is %q, want %q", text, got, want[1:])
		}
	}
}

func nugetParts(version string) (numbers [4]int, label string) {
	version, _, _ = strings.Cut(version, "+")
	core, label, _ := strings.Cut(version, "-")
	for i, part := range strings.Split(core, ".") {
		numbers[i], _ = strconv.Atoi(part)
	}
	return numbers, label
}

func compareNuGet(a, b string) int {
	an, al := nugetParts(a)
	bn, bl := nugetParts(b)
	if c := slices.Compare(an[:], bn[:]); c != 0 || al == bl {
		return c
	}
	if al == "" || bl == "" {
		return cmp.Compare(bl, al)
	}
	return slices.CompareFunc(strings.Split(strings.ToLower(al), "."), strings.Split(strings.ToLower(bl), "."), func(x, y string) int {
		xn, xerr := strconv.Atoi(x)
		yn, yerr := strconv.Atoi(y)
		switch {
		case xerr == nil && yerr == nil:
			return cmp.Compare(xn, yn)
		case xerr == nil:
			return -1
		case yerr == nil:
			return 1
		}
		return cmp.Compare(x, y)
	})
}

// names makes up package names with every separator in every place.
func names() []string {
	r := rand.New(rand.NewPCG(503, 7))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	list := make([]string, corpusSize)
	for i := range list {
		for range 1 + r.IntN(4) {
			list[i] += pick("Zope", "flask", "A", "x", "Py3", "ruamel") + pick("", "-", "_", ".", "--", "._-")
		}
		list[i] = pick("", "", "", "_", ".-") + list[i]
	}
	return list
}

func TestCanonicalNames(t *testing.T) {
	t.Parallel()
	// The expression stands in the packaging index's name rule.
	separators := regexp.MustCompile(`[-_.]+`)
	for _, name := range names() {
		if got, want := catalog.CanonicalName(catalog.PyPI, name), strings.ToLower(separators.ReplaceAllString(name, "-")); got != want {
			t.Errorf("PYPI: %q is %q, want %q", name, got, want)
		}
		if got, want := catalog.CanonicalName(catalog.NuGet, name), strings.ToLower(name); got != want {
			t.Errorf("NUGET: %q is %q, want %q", name, got, want)
		}
		for _, s := range []catalog.System{catalog.Go, catalog.NPM, catalog.Cargo, catalog.Maven, catalog.RubyGems} {
			if got := catalog.CanonicalName(s, name); got != name {
				t.Errorf("%s: %q became %q", s, name, got)
			}
		}
	}
}
