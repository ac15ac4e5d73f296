package recipe

import (
	"cmp"
	"slices"
)

// check finds requirements that no job meets, and circles.
func (w *workflow) check() error {
	byName := map[string]*use{}
	for _, u := range w.uses {
		byName[u.name] = u
	}
	for _, u := range w.uses {
		for _, r := range u.requires {
			if byName[r] == nil {
				return u.at.errorf("%s requires %q, which the workflow %s does not run", u.name, r, w.name)
			}
		}
	}
	if _, stuck := w.order(); stuck != nil {
		return stuck.at.errorf("%s waits for itself through requires", stuck.name)
	}
	return nil
}

// order lists uses so that each comes after what it requires, otherwise as they
// are written; stuck is one that never comes.
func (w *workflow) order() (ordered []*use, stuck *use) {
	index := make(map[string]int, len(w.uses))
	for i, u := range w.uses {
		index[u.name] = i
	}
	followers, open := make([][]int, len(w.uses)), make([]int, len(w.uses))
	var ready []int
	for i, u := range w.uses {
		for _, r := range u.requires {
			if at, ok := index[r]; ok {
				followers[at] = append(followers[at], i)
			}
		}
		if open[i] = len(u.requires); open[i] == 0 {
			ready = append(ready, i)
		}
	}
	// Read from above again and again, a use comes in the round of the last that
	// it requires, or in the next when that one is written below it.
	round, placed := make([]int, len(w.uses)), make([]bool, len(w.uses))
	for done := 0; done < len(ready); done++ {
		i := ready[done]
		placed[i] = true
		for _, next := range followers[i] {
			later := round[i]
			if i > next {
				later++
			}
			round[next] = max(round[next], later)
			if open[next]--; open[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	slices.SortFunc(ready, func(a, b int) int { return cmp.Or(cmp.Compare(round[a], round[b]), cmp.Compare(a, b)) })
	for _, i := range ready {
		ordered = append(ordered, w.uses[i])
	}
	if i := slices.Index(placed, false); i >= 0 {
		return ordered, w.uses[i]
	}
	return ordered, nil
}
