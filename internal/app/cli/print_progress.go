package cli

import (
	"fmt"

	"stoa.dev/stoa/internal/app/cli/output"
	"stoa.dev/stoa/internal/platform/module"
)

// progress shows long work on a line that overwrites itself, on a terminal; end
// closes a line that was begun.
func (p *Program) progress() (step func(module.Progress), end func()) {
	if p.json || !output.Terminal(p.Stderr) {
		return func(module.Progress) {}, func() {}
	}
	begun := false
	step = func(s module.Progress) {
		begun = true
		if s.Total > 0 {
			fmt.Fprintf(p.Stderr, "\r%3d%% %d/%d %s\x1b[K", s.Done*100/s.Total, s.Done, s.Total, s.Note)
		} else {
			fmt.Fprintf(p.Stderr, "\r%d %s\x1b[K", s.Done, s.Note)
		}
	}
	return step, func() {
		if begun {
			fmt.Fprintln(p.Stderr)
		}
	}
}
