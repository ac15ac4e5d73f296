package catalog_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// FuzzPurl: what is read can be written, and read again as the same.
func FuzzPurl(f *testing.F) {
	fuzztest.Strings(f, "pkg:npm/%40scope/name@1.0.0", "pkg:golang/github.com/A/b@v1.0.0", "pkg:maven/g/a@1",
		"pkg:pypi/A_b@1.0", "pkg:gem/x", "pkg:nuget/X@1.0", "pkg:cargo/x@1%2B2", "pkg:npm/x?y=z", "pkg://npm//x")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := catalog.ParsePurl(text)
		if err != nil {
			return
		}
		if err := k.Package().Check(); err != nil {
			t.Fatalf("%q gave the unusable key %v: %v", text, k, err)
		}
		again, err := catalog.ParsePurl(k.Purl())
		if err != nil || again.Canonical() != k.Canonical() {
			t.Errorf("%q is %v, written %q, read again %v, %v", text, k, k.Purl(), again, err)
		}
	})
}

// FuzzOrder: the order is total, whatever the strings.
func FuzzOrder(f *testing.F) {
	fuzztest.Add(f, "1.0.0", "1.0.0-rc.1")
	fuzztest.Add(f, "1!2.0.post1", "2.0.dev1")
	fuzztest.Add(f, "1.0-SNAPSHOT", "1.0.Final")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, s := range catalog.Systems() {
			ab, ba := catalog.Compare(s, a, b), catalog.Compare(s, b, a)
			if sign(ab) != -sign(ba) || catalog.Compare(s, a, a) != 0 || (a != b) != (ab != 0) {
				t.Errorf("%s: %q and %q compare as %d and %d", s, a, b, ab, ba)
			}
			canon := catalog.CanonicalVersion(s, a)
			if again := catalog.CanonicalVersion(s, canon); again != canon {
				t.Errorf("%s: the canonical form of %q is %q and of that %q", s, a, canon, again)
			}
			catalog.IsPrerelease(s, a)
		}
	})
}

// FuzzLicense: every license has an answer.
func FuzzLicense(f *testing.F) {
	fuzztest.Strings(f,
		"MIT OR (Apache-2.0 AND BSD-3-Clause)",
		"The Apache Software License, Version 2.0",
	)
	f.Fuzz(func(t *testing.T, text string) {
		if l, ok := catalog.NewLicense(text); ok && l.SPDX == "" {
			t.Errorf("%q has no answer", text)
		}
		catalog.ProjectOf(text)
	})
}
