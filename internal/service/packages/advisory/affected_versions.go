package advisory

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Event is one turning point of a range: exactly one member is set.
type Event struct {
	Introduced   string `json:"introduced,omitempty"`
	Fixed        string `json:"fixed,omitempty"`
	LastAffected string `json:"last_affected,omitempty"`
	Limit        string `json:"limit,omitempty"`
}

// Affected is the versions of one package that an advisory covers.
type Affected struct {
	Ranges   [][]Event `json:"ranges,omitempty"`
	Versions []string  `json:"versions,omitempty"`
}

// Encode is the stored form.
func (a *Affected) Encode() ([]byte, error) { return json.Marshal(a) }

// Decode reads the stored form.
func Decode(raw []byte) (*Affected, error) {
	a := &Affected{}
	return a, json.Unmarshal(raw, a)
}

// Matcher tells which versions of a package an advisory covers. It is made
// once and asked about many versions.
type Matcher struct {
	system catalog.System
	listed map[string]bool
	ranges [][]rangeEvent
}

// rangeEvent is an event whose version has been read.
type rangeEvent struct {
	Event
	// origin is the beginning of all versions, which the format writes "0".
	origin bool
	at     catalog.Ordered
}

// Matcher reads the ranges by the rules of a system and puts the events of
// each into version order, as the format defines it.
func (a *Affected) Matcher(s catalog.System) *Matcher {
	m := &Matcher{
		system: s,
		listed: make(map[string]bool, len(a.Versions)),
		ranges: make([][]rangeEvent, 0, len(a.Ranges)),
	}
	for _, v := range a.Versions {
		m.listed[v] = true
	}
	for _, events := range a.Ranges {
		sorted := make([]rangeEvent, 0, len(events))
		for _, e := range events {
			point := e.point()
			at := catalog.NewOrdered(s, canonicalSpelling(s, point))
			sorted = append(sorted, rangeEvent{Event: e, origin: point == "0", at: at})
		}
		slices.SortStableFunc(sorted, compareRangeEvents)
		m.ranges = append(m.ranges, sorted)
	}
	return m
}

// Covers reports whether a version is affected: it is listed, or it lies in one
// of the ranges by the ecosystem's version order.
func (m *Matcher) Covers(version string) bool {
	if m.listed[version] {
		return true
	}
	if len(m.ranges) == 0 {
		return false
	}
	v := catalog.NewOrdered(m.system, version)
	return slices.ContainsFunc(m.ranges, func(events []rangeEvent) bool { return within(events, v) })
}

// within walks the events: a version is affected from an introduction on until
// a fix or past the last affected version.
func within(events []rangeEvent, version catalog.Ordered) bool {
	inside := false
	for _, e := range events {
		at := 1
		if !e.origin {
			at = version.Compare(e.at)
		}
		switch {
		case e.Introduced != "" && at >= 0:
			inside = true
		case e.Fixed != "" && at >= 0, e.Limit != "" && e.Limit != "*" && at >= 0:
			inside = false
		case e.LastAffected != "" && at > 0:
			inside = false
		}
	}
	return inside
}

func compareRangeEvents(a, b rangeEvent) int {
	switch {
	case a.origin && b.origin:
		return 0
	case a.origin:
		return -1
	case b.origin:
		return 1
	}
	return a.at.Compare(b.at)
}

func (e Event) point() string { return cmp.Or(e.Introduced, e.Fixed, e.LastAffected, e.Limit) }

// canonicalSpelling adapts the format's spelling to the ecosystem's: Go versions are
// written without their v in advisories.
func canonicalSpelling(s catalog.System, version string) string {
	if s == catalog.Go && version != "" && !strings.HasPrefix(version, "v") {
		return "v" + version
	}
	return version
}
