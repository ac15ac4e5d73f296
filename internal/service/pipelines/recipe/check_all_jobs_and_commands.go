package recipe

import (
	"maps"
	"slices"
)

// rehearse builds every job and command once with examples for what a use will
// give, so that mistakes are found when the file is pushed. Orbs that the file
// writes out are part of it; of orbs in files only what is used is looked at.
func (s *space) rehearse(outer scope) error {
	for _, name := range slices.Sorted(maps.Keys(s.jobs)) {
		j := s.jobs[name]
		values, err := bind(j.parameters, j.node, nil, outer.within(s, nil), true)
		if err != nil {
			return err
		}
		inner := outer.within(s, values).with("job.name", name)
		if _, err := j.build(inner, &builder{rehearse: true, quiet: true}); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.commands)) {
		c := s.commands[name]
		values, err := bind(c.parameters, c.steps, nil, outer.within(s, nil), true)
		if err != nil {
			return err
		}
		b := &builder{rehearse: true, quiet: true}
		if err := b.list(c.steps, outer.within(s, values).with("job.name", name), 1); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.orbs)) {
		if orb := s.orbs[name]; orb.inline {
			if err := orb.rehearse(outer); err != nil {
				return err
			}
		}
	}
	return nil
}

// examples are pipeline parameters good enough to check a file with.
func (f *File) examples() map[string]any {
	out := map[string]any{}
	for _, p := range f.parameters {
		if out[p.name] = p.fallback; p.required {
			out[p.name] = p.example()
		}
	}
	return out
}

// rehearse plans every job of a workflow, whatever its filters say.
func (w *workflow) rehearse(s scope) error {
	for _, condition := range []*node{w.when, w.not} {
		if condition == nil {
			continue
		}
		if _, err := s.truth(condition); err != nil {
			return err
		}
	}
	for _, u := range w.uses {
		if _, err := w.plan(u, s); err != nil {
			return err
		}
	}
	return nil
}
