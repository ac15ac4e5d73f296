package integrity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver/tally"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// Part is one part of the store and how it was found.
type Part struct {
	Name string `json:"part"`
	// Of says what is looked at, and Looked how many of these there are.
	Of     string `json:"of"`
	Looked int    `json:"looked"`
	// Damaged is how many damages there are; the first of them are listed.
	Damaged int             `json:"damaged"`
	Damages []module.Damage `json:"damages,omitempty"`
}

// maxDamages bounds what is listed of one part: a lost disk damages everything.
const maxDamages = 100

// Report is what a check found.
type Report struct {
	Parts []Part `json:"parts"`
	// Damaged is the number of all damages.
	Damaged int `json:"damaged"`
}

// Check reads everything of a world. progress is told before each part.
func Check(
	ctx context.Context, w *world.World, modules []module.Module, progress func(module.Progress),
) (Report, error) {
	parts := partsOf(w, modules)
	var r Report
	for n, p := range parts {
		progress(module.Progress{Done: int64(n), Total: int64(len(parts)), Note: p.name})
		found := Part{Name: p.name, Of: p.of}
		report := func(d module.Damage) {
			if found.Damaged++; len(found.Damages) < maxDamages {
				found.Damages = append(found.Damages, d)
			}
		}
		looked, err := p.verify(ctx, report)
		switch {
		case err != nil && isUnavailable(ctx, err):
			return r, fmt.Errorf("check of %s: %w", p.name, err)
		case err != nil: // the other parts are looked at all the same
			report(module.Damage{What: p.name, Detail: "it cannot be read: " + err.Error(), Advice: restoreAdvice})
		}
		found.Looked = looked
		r.Damaged += found.Damaged
		r.Parts = append(r.Parts, found)
	}
	return r, nil
}

// part is something to look at.
type part struct {
	name, of string
	verify   module.Verify
}

// partsOf are the parts of a world. Rows of all modules are those of the database; a module
// has a part of its own for what lies beside them or is sealed in them.
func partsOf(w *world.World, modules []module.Module) []part {
	parts := []part{
		{"database", "tables with the rows of every service", verifyDatabase(w.DB)},
		{"root key", "key", verifyKey(w)}, {"certificates", "certificate", verifyAuthority(w)},
		{"blobs", "object", verifyBlobs(w.Blobs)},
		{"deliveries", "sealed message", verifySealedRows(w, module.SealedRows{
			Kind: "message", Purpose: tally.Purpose, Query: tally.SealedRows,
		})},
	}
	for _, m := range modules {
		if m.Verify != nil || len(m.Blobs)+len(m.Sealed) > 0 {
			parts = append(parts, part{m.Name, contents(m), verifyModule(w, m)})
		}
	}
	return parts
}

// contents are the kinds of things that a module has beside its rows.
func contents(m module.Module) string {
	var kinds []string
	if m.Verify != nil {
		kinds = append(kinds, m.Verified)
	}
	for _, rows := range m.Blobs {
		kinds = append(kinds, rows.Kind)
	}
	for _, rows := range m.Sealed {
		kinds = append(kinds, "sealed "+rows.Kind)
	}
	return strings.Join(kinds, ", ")
}

// isUnavailable reports whether looking failed because something does not answer, which is no
// damage.
func isUnavailable(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, database.ErrUnavailable) || errors.Is(err, database.ErrBusy) || errors.Is(err, blob.ErrUnavailable)
}

// Failure is what the command line ends with when something is damaged, nil otherwise.
func (r Report) Failure() error {
	if r.Damaged == 0 {
		return nil
	}
	first := ""
	for _, p := range r.Parts {
		if len(p.Damages) > 0 {
			d := p.Damages[0]
			first = d.What + ": " + d.Detail
			break
		}
	}
	const next = "follow the advice of each line; stoa restore brings back a backup"
	if r.Damaged == 1 {
		return module.Fail(module.Failed, next, "one damage: %s", first)
	}
	return module.Fail(module.Failed, next, "%d damages, the first: %s", r.Damaged, first)
}

// Command is "stoa check".
func Command(w *world.World, modules []module.Module) module.Command {
	return module.Command{
		Path:  "check",
		Short: "read everything that is stored and find what is damaged",
		Long: "The database, blobs, keys and repositories are read whole, while a server runs or without one. " +
			"Nothing is changed. Each damage is printed with the step that mends it.",
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			return Check(ctx, w, modules, in.Progress)
		},
	}
}

// verifyKey checks that the root key is the one that the database was made with.
func verifyKey(w *world.World) module.Verify {
	return func(ctx context.Context, report func(module.Damage)) (int, error) {
		err := w.CompareKey(ctx)
		if errors.Is(err, world.ErrForeignKey) || errors.Is(err, database.ErrNotFound) {
			report(module.Damage{What: "root key", Detail: err.Error(),
				Advice: "start with the root.key that the data was made with, from the backup of the keys"})
			err = nil
		}
		return 1, err
	}
}

// verifyAuthority opens the local certificate authority.
func verifyAuthority(w *world.World) module.Verify {
	return func(_ context.Context, report func(module.Damage)) (int, error) {
		exists, err := authority.Verify(w.Dir, w.Seal)
		if err != nil {
			report(module.Damage{What: "local certificate authority", Detail: err.Error(), Advice: "copy ca.pem and ca.key " +
				"from a backup, or remove both: the next start makes a new authority, which clients have to trust"})
		}
		if !exists {
			return 0, nil
		}
		return 1, nil
	}
}
