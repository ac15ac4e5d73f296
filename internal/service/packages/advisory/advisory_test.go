package advisory_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

func TestCovers(t *testing.T) {
	t.Parallel()
	span := func(events ...advisory.Event) *advisory.Affected {
		return &advisory.Affected{Ranges: [][]advisory.Event{events}}
	}
	in, fixed, last := func(v string) advisory.Event { return advisory.Event{Introduced: v} },
		func(v string) advisory.Event { return advisory.Event{Fixed: v} },
		func(v string) advisory.Event { return advisory.Event{LastAffected: v} }
	for _, row := range []struct {
		name     string
		system   catalog.System
		affected *advisory.Affected
		yes, no  []string
	}{
		{
			"from the beginning to a fix", catalog.NPM, span(in("0"), fixed("2.0.0")), []string{"0.0.1", "2.0.0-rc.1"},
			[]string{"2.0.0", "2.0.1"},
		},
		{
			"from a version on", catalog.NPM, span(in("1.0.0")), []string{"1.0.0", "9.0.0"},
			[]string{"0.9.9", "1.0.0-rc.1"},
		},
		{
			"to the last affected", catalog.RubyGems, span(in("0"), last("1.2.3")), []string{"1.2.3", "1.2.3.pre1"},
			[]string{"1.2.4"},
		},
		{
			"two branches in any order", catalog.Maven, span(fixed("2.1"), in("2.0"), fixed("1.5"), in("1.0")),
			[]string{"1.0", "1.4", "2.0"}, []string{"1.5", "1.9", "2.1", "0.9"},
		},
		{
			"go without its letter", catalog.Go, span(in("0"), fixed("1.3.0")),
			[]string{"v1.2.9", "v0.0.0-20200101000000-abcdefabcdef"}, []string{"v1.3.0"},
		},
		{"epochs", catalog.PyPI, span(in("0"), fixed("1!1.0")), []string{"99.0.0"}, []string{"1!1.0.0", "1!2.0.0"}},
		{
			"listed versions", catalog.Cargo, &advisory.Affected{Versions: []string{"1.0.0"}}, []string{"1.0.0"},
			[]string{"1.0.1"},
		},
		{
			"limit", catalog.NuGet, span(in("1.0.0"), advisory.Event{Limit: "2.0.0"}), []string{"1.5.0"},
			[]string{"2.0.0"},
		},
		{
			"another spelling of the last", catalog.PyPI, span(in("0"), last("1.2")), []string{"1.2.0"},
			[]string{"1.2.1"},
		},
		{
			"another spelling of the first", catalog.Maven, span(in("2.0.0"), fixed("3.0.0")), []string{"2.0", "2"},
			[]string{"1.9", "3.0", "3"},
		},
		{
			"pre-releases of a crate", catalog.Cargo, span(in("0.9.0-0"), fixed("1.0.0")),
			[]string{"0.9.0-alpha", "1.0.0-rc.1"}, []string{"0.8.9", "1.0.0", "1.0.0+build"},
		},
		{
			"four numbers", catalog.NuGet, span(in("1.0.0.2"), fixed("1.0.1")), []string{"1.0.0.2", "1.0.0.10"},
			[]string{"1.0.0", "1.0.0.1", "1.0.1"},
		},
		{"nothing", catalog.NPM, &advisory.Affected{}, nil, []string{"1.0.0"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			raw, err := row.affected.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := advisory.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range []*advisory.Affected{row.affected, again} {
				m := a.Matcher(row.system)
				for _, v := range row.yes {
					if !m.Covers(v) {
						t.Errorf("%s is not covered", v)
					}
				}
				for _, v := range row.no {
					if m.Covers(v) {
						t.Errorf("%s is covered", v)
					}
				}
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	a, err := advisory.Parse([]byte(`{"id":"GHSA-1","modified":"m","details":"first line\nsecond","aliases":["CVE-1"],
		"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H"}],"references":[{"type":"WEB","url":"https://w.example/"},{"type":"ADVISORY","url":"https://a.example/"}],
		"affected":[{"package":{"ecosystem":"PyPI","name":"A_B"},"versions":["1.0"],"ranges":[{"type":"GIT","events":[{"introduced":"0"}]}]},
			{"package":{"ecosystem":"Maven:https://x.example","name":"g:a"},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"}]}]},
			{"package":{"ecosystem":"Debian:12","name":"x"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if a.Title != "first line" || a.URL != "https://a.example/" || len(a.Affected) != 2 {
		t.Errorf("advisory %+v", a)
	}
	python := a.Affected[catalog.PackageKey{System: catalog.PyPI, Name: "a-b"}]
	if python == nil || !python.Matcher(catalog.PyPI).Covers("1.0.0") || python.Matcher(catalog.PyPI).Covers("1.1.0") {
		t.Errorf("PyPI %+v", python)
	}
	if withdrawn, err := advisory.Parse([]byte(`{"id":"X","withdrawn":"2026","affected":[{"package":{"ecosystem":"npm","name":"x"},"versions":["1"]}]}`)); err != nil || len(withdrawn.Affected) != 0 {
		t.Errorf("withdrawn %+v, %v", withdrawn, err)
	}
	if _, err := advisory.Parse([]byte(`{}`)); !errors.Is(err, advisory.ErrNoID) {
		t.Errorf("no id: %v", err)
	}
	if _, err := advisory.Parse([]byte(`[`)); err == nil {
		t.Error("no JSON was accepted")
	}
}

// TestPage: an advisory says where it can be read if its record does in any way.
func TestPage(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		`"references":[{"type":"ADVISORY","url":"https://n.example/CVE-1"},{"type":"WEB","url":"https://g.example/X-1"}]`: "https://g.example/X-1",
		`"references":[{"type":"WEB","url":"https://w.example"},{"type":"FIX","url":"https://f.example"}]`:                "https://w.example",
		`"references":[{"type":"ADVISORY","url":"javascript:alert(1)"}]`:                                                  "",
		`"affected":[{"database_specific":{"source":"https://s.example/X-1.json"}}]`:                                      "https://s.example/X-1.json",
		`"database_specific":{"source":7}`: "",
	} {
		a, err := advisory.Parse([]byte(`{"id":"X-1",` + members + `}`))
		if err != nil || a.URL != want {
			t.Errorf("%s: %q, %v, want %q", members, a.URL, err, want)
		}
	}
}

// TestScore holds the equations against published vectors and their scores.
func TestScore(t *testing.T) {
	t.Parallel()
	for vector, want := range map[string]float64{
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H": 9.8,
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H": 10,
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N": 6.1,
		"CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H": 7.5,
		"CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:N/I:N/A:N": 0,
	} {
		if got, ok := advisory.Score(vector); got != want || !ok {
			t.Errorf("%q scores %v, %t, want %v", vector, got, ok, want)
		}
	}
	for _, vector := range []string{"CVSS:2.0/AV:N", "", "CVSS:3.1/AV:Q"} {
		if got, ok := advisory.Score(vector); ok {
			t.Errorf("%q scores %v, want none", vector, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Bytes(f, []byte(`{"id":"X","affected":[{"package":{"ecosystem":"npm","name":"x"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"1"}]}]}]}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		a, err := advisory.Parse(text)
		if err != nil {
			return
		}
		for k, ranges := range a.Affected {
			ranges.Matcher(k.System).Covers("1.0.0")
		}
		advisory.Score(a.CVSS3)
	})
}

func TestAfter(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		is, was string
		want    bool
	}{
		{"2026-01-02T00:00:00Z", "2026-01-01T23:59:59.9Z", true},
		{"2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", false},
		{"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", false},
		{"2026-01-01T01:00:00+02:00", "2026-01-01T00:00:00Z", false},
		{"", "", true},
		{"some day", "some day", false},
		{"some day", "another day", true},
	} {
		if got := (&advisory.Advisory{Modified: row.is}).After(row.was); got != row.want {
			t.Errorf("%q after %q: %v, want %v", row.is, row.was, got, row.want)
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"GHSA-1": true, "": false, "a\x00b": false, "a\xff": false, strings.Repeat("x", advisory.MaxID+1): false,
	} {
		if got := advisory.IsID(id); got != want {
			t.Errorf("%q: %v, want %v", id, got, want)
		}
	}
	a, err := advisory.Parse([]byte(`{"id":"A","aliases":["CVE-1","","x\u0000y"]}`))
	if err != nil || len(a.Aliases) != 1 {
		t.Errorf("aliases %q, %v, want the one that is a name", a.Aliases, err)
	}
}
