package dump

import "stoa.dev/stoa/internal/platform/module"

// ImportReport says what an import did.
type ImportReport struct {
	File   string `json:"file"`
	Format string `json:"format"`
	// Packages and Versions were stored, Missing are unknown to the registry,
	// Failed could not be asked for; importing the file again goes on there.
	Packages int64  `json:"packages,omitempty"`
	Versions int64  `json:"versions,omitempty"`
	Missing  int64  `json:"missing,omitempty"`
	Failed   int64  `json:"failed,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Skipped lines could not be read; Bad is the first of them.
	Skipped int64   `json:"skipped,omitempty"`
	Bad     []Fault `json:"bad,omitempty"`
	unasked int64
}

// maxBad is how many lines that cannot be read are told one by one.
const maxBad = 100

// Skip notes lines that cannot be read. A strict import ends at the first.
func (r *ImportReport) Skip(faults []Fault, strict bool) error {
	if strict && len(faults) > 0 {
		return module.Fail(module.Usage, "mend the line, or leave out --strict to pass over such lines",
			"line %d: %s", faults[0].Line, faults[0].Reason)
	}
	r.Skipped += int64(len(faults))
	r.Bad = append(r.Bad, faults[:min(len(faults), maxBad-len(r.Bad))]...)
	return nil
}

// NotAsked notes a package that no registry was asked about.
func (r *ImportReport) NotAsked(why string) {
	r.Failed++
	r.unasked++
	r.Reason = "no registry was asked: " + why
}

// Nothing is the failure of an import that loaded nothing of what a file names because no
// registry was asked, nil for any other.
func (r *ImportReport) Nothing() error {
	if r.unasked == 0 || r.unasked < r.Failed || r.Packages+r.Versions+r.Missing > 0 {
		return nil
	}
	return module.Fail(module.Failed,
		"give it a registry (packages.registries), or a dump of packages export; stoa packages sources says what is asked",
		"nothing of %s was loaded: %s", r.File, r.Reason)
}
