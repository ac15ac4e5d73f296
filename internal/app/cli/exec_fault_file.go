package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/module"
)

// addFileFaults gives a world of this process the rules of a file.
func addFileFaults(w *lab.World, file string) error {
	list, err := readFaults(file)
	if err != nil {
		return err
	}
	for n, text := range list {
		var rule faultrule.Rule
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&rule)
		if err == nil {
			_, err = w.Faults().Add(rule)
		}
		if err != nil {
			next := "see stoa fault add --help"
			var refused *faultrule.Error
			if errors.As(err, &refused) {
				next = refused.Next
			}
			return module.Fail(module.Usage, next, "%s: rule %d: %w", file, n+1, err)
		}
	}
	return nil
}

// reportUnmet says which rules never hit.
func (p *Program) reportUnmet(w *lab.World) {
	for _, r := range w.Faults().Unmet() {
		about := strings.TrimSpace(cmp.Or(r.Match.Service, "any service") + " " + r.Match.Operation)
		fmt.Fprintf(p.Stderr, "stoa: the fault %s (%s for %s) was never met: %d requests matched\n",
			r.ID, r.Deed.Name(), about, r.Matches)
	}
}
