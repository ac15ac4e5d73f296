package advisory

import (
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

// Covers tells whether a version is affected: it is listed, or it lies in one
// of the ranges by the ecosystem's version order.
func (a *Affected) Covers(s catalog.System, version string) bool {
	if slices.Contains(a.Versions, version) {
		return true
	}
	for _, events := range a.Ranges {
		if within(s, events, version) {
			return true
		}
	}
	return false
}

// within walks the events in version order, as the OSV format defines it: a
// version is affected from an introduction on until a fix or past the last
// affected version.
func within(s catalog.System, events []Event, version string) bool {
	sorted := slices.Clone(events)
	slices.SortStableFunc(sorted, func(a, b Event) int { return comparePoints(s, a.point(), b.point()) })
	inside := false
	for _, e := range sorted {
		at := comparePoints(s, version, spelled(s, e.point()))
		switch {
		case e.Introduced != "" && (e.Introduced == "0" || at >= 0):
			inside = true
		case e.Fixed != "" && at >= 0, e.Limit != "" && e.Limit != "*" && at >= 0:
			inside = false
		case e.LastAffected != "" && at > 0:
			inside = false
		}
	}
	return inside
}

func (e Event) point() string {
	for _, p := range []string{e.Introduced, e.Fixed, e.LastAffected, e.Limit} {
		if p != "" {
			return p
		}
	}
	return ""
}

// spelled adapts the format's spelling to the ecosystem's: Go versions are
// written without their v in advisories.
func spelled(s catalog.System, version string) string {
	if s == catalog.Go && version != "" && !strings.HasPrefix(version, "v") {
		return "v" + version
	}
	return version
}

// comparePoints orders versions with "0" before everything.
func comparePoints(s catalog.System, a, b string) int {
	switch {
	case a == "0" && b == "0":
		return 0
	case a == "0":
		return -1
	case b == "0":
		return 1
	}
	return catalog.Compare(s, spelled(s, a), spelled(s, b))
}
