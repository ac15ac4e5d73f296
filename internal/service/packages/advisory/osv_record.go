package advisory

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Advisory is one OSV record, reduced to what the service tells.
type Advisory struct {
	ID       string
	Modified string
	// Withdrawn advisories affect nothing any more.
	Withdrawn bool
	Title     string
	URL       string
	Aliases   []string
	// CVSS3 is the version 3 vector, empty when there is none.
	CVSS3 string
	// Affected is the packages of the seven systems it names.
	Affected map[catalog.PackageKey]*Affected
}

// record is the OSV schema as far as it is read.
type record struct {
	ID        string   `json:"id"`
	Modified  string   `json:"modified"`
	Withdrawn string   `json:"withdrawn"`
	Summary   string   `json:"summary"`
	Details   string   `json:"details"`
	Aliases   []string `json:"aliases"`
	Severity  []struct {
		Type  string `json:"type"`
		Score string `json:"score"`
	} `json:"severity"`
	References []struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"references"`
	Affected []struct {
		Package struct {
			Ecosystem string `json:"ecosystem"`
			Name      string `json:"name"`
		} `json:"package"`
		Ranges []struct {
			Type   string  `json:"type"`
			Events []Event `json:"events"`
		} `json:"ranges"`
		Versions []string `json:"versions"`
		Database origin   `json:"database_specific"`
	} `json:"affected"`
	Database origin `json:"database_specific"`
}

// origin is where a database has a record from.
type origin struct {
	Source text `json:"source"`
}

// text is a member that databases write as they like: what is no text is none.
type text string

// UnmarshalJSON reads a text and passes over anything else.
func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = text(s)
	}
	return nil
}

// page is where the advisory can be read: the reference that names it, else the first
// to an advisory, else the first of any kind, else the record at its origin.
func (r *record) page() string {
	best, rank := "", 0
	take := func(url string, is int) {
		if is > rank && (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) {
			best, rank = url, is
		}
	}
	for _, ref := range r.References {
		switch {
		case strings.Contains(ref.URL, r.ID):
			take(ref.URL, 4)
		case ref.Type == "ADVISORY":
			take(ref.URL, 3)
		default:
			take(ref.URL, 2)
		}
	}
	take(string(r.Database.Source), 1)
	for _, one := range r.Affected {
		take(string(one.Database.Source), 1)
	}
	return best
}

// ErrNoID means that the record is no advisory.
var ErrNoID = errors.New("the record has no id")

// MaxID bounds an id or an alias.
const MaxID = 200

// IsID reports whether a text can be an advisory's id.
func IsID(text string) bool {
	return text != "" && len(text) <= MaxID && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// maxTitle bounds the title made from an advisory's details.
const maxTitle = 200

// Parse reads an OSV record.
func Parse(text []byte) (*Advisory, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("not an OSV record: %w", err)
	}
	if !IsID(r.ID) {
		return nil, ErrNoID
	}
	a := &Advisory{
		ID: r.ID, Modified: r.Modified, Withdrawn: r.Withdrawn != "", Title: title(r.Summary, r.Details),
		Aliases:  slices.DeleteFunc(r.Aliases, func(alias string) bool { return !IsID(alias) }),
		Affected: map[catalog.PackageKey]*Affected{},
	}
	for _, s := range r.Severity {
		if s.Type == "CVSS_V3" {
			a.CVSS3 = s.Score
		}
	}
	a.URL = r.page()
	if !a.Withdrawn {
		r.affected(a)
	}
	return a, nil
}

// After reports whether the record is newer than the state of it that was
// modified then. A record that does not say when it was modified always is.
func (a *Advisory) After(modified string) bool {
	is, err := time.Parse(time.RFC3339Nano, a.Modified)
	was, failed := time.Parse(time.RFC3339Nano, modified)
	if err != nil || failed != nil {
		return a.Modified == "" || a.Modified != modified
	}
	return is.After(was)
}

// affected collects the ranges by package. One record may name a package
// several times, once for each branch.
func (r *record) affected(a *Advisory) {
	for _, one := range r.Affected {
		system, ok := System(one.Package.Ecosystem)
		key := catalog.PackageKey{System: system, Name: one.Package.Name}.Canonical()
		if !ok || key.Check() != nil {
			continue
		}
		all := a.Affected[key]
		if all == nil {
			all = &Affected{}
			a.Affected[key] = all
		}
		for _, v := range one.Versions {
			all.Versions = append(all.Versions, catalog.CanonicalVersion(system, v))
		}
		for _, span := range one.Ranges {
			// Ranges of commits say nothing about published versions.
			if span.Type == "SEMVER" || span.Type == "ECOSYSTEM" {
				all.Ranges = append(all.Ranges, span.Events)
			}
		}
	}
}

// System is the system that OSV calls so. A suffix after a colon names a
// repository, which makes no difference here.
func System(ecosystem string) (catalog.System, bool) {
	name, _, _ := strings.Cut(ecosystem, ":")
	if strings.HasPrefix(name, "crates.") {
		// The format calls this one by its registry's address.
		return catalog.Cargo, true
	}
	switch name {
	case "Go":
		return catalog.Go, true
	case "npm":
		return catalog.NPM, true
	case "Maven":
		return catalog.Maven, true
	case "PyPI":
		return catalog.PyPI, true
	case "NuGet":
		return catalog.NuGet, true
	case "RubyGems":
		return catalog.RubyGems, true
	}
	return "", false
}

func title(summary, details string) string {
	if summary != "" {
		return summary
	}
	line, _, _ := strings.Cut(strings.TrimSpace(details), "\n")
	return wire.Clip(line, maxTitle)
}
