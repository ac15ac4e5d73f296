package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// reasons reads conduct.tsv of a folder: a rule, a tab, and why a client breaks it there.
func reasons(dir string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "conduct.tsv"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		rule, why, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || why == "" {
			return nil, fmt.Errorf("%s: %q is not a rule, a tab and a reason", dir, line)
		}
		out[rule] = why
	}
	return out, nil
}

// explained reports findings without a reason, and reasons without a finding. Advice needs none.
func (e evidence) explained() error {
	var open []error
	broken := map[string]bool{}
	for _, c := range e.conduct {
		for _, f := range c.Findings {
			if !broken[f.Rule] && f.Severity != "info" && e.reasons[f.Rule] == "" {
				open = append(open, fmt.Errorf("%s: %s breaks %s, and conduct.tsv does not say why", e.folder, words(c.Test),
					f.Rule))
			}
			broken[f.Rule] = true
		}
	}
	for rule := range e.reasons {
		if !broken[rule] {
			open = append(open, fmt.Errorf("%s: conduct.tsv explains %s, which no client broke", e.folder, rule))
		}
	}
	slices.SortFunc(open, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(open...)
}
