package cargo

import (
	"maps"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// wanted is one dependency of an activated crate that is to be given a version.
type wanted struct {
	parent     *crate
	dep        int
	features   []string
	candidates []string
}

// siblings are the dependencies of one activation, the most constrained first.
type siblings struct {
	list []wanted
}

// lock is the choice of versions so far. Copies share what is not changed.
type lock struct {
	// slots are the activated crates by range of compatible versions, on their
	// features, links the crates by native library.
	slots map[string]*crate
	on    map[*crate]map[string]bool
	links map[string]*crate
	open  []siblings
	// chosen is the version of each dependency of a crate.
	chosen map[choice]*crate
}

type choice struct {
	of  *crate
	dep int
}

func (l *lock) copied() *lock {
	return &lock{
		slots: maps.Clone(l.slots), on: maps.Clone(l.on), links: maps.Clone(l.links),
		open: slices.Clone(l.open), chosen: maps.Clone(l.chosen),
	}
}

// locker chooses versions.
type locker struct {
	index *index
	now   *lock
	// earlier is where other candidates are left to be tried.
	earlier []retry
	// missing are dependencies for which no version is known.
	missing map[*crate][]string
	nodes   int
}

type retry struct {
	at   *lock
	want wanted
	next int
}

// conflictError says which requirement has no version that fits to the others.
type conflictError struct{ text string }

func (e *conflictError) Error() string { return e.text }

// run activates the root and everything it needs.
func (k *locker) run(root *crate) (*lock, error) {
	k.now = &lock{
		slots: map[string]*crate{}, on: map[*crate]map[string]bool{}, links: map[string]*crate{},
		chosen: map[choice]*crate{},
	}
	if _, err := k.activate(root, defaultFeatures(nil, true)); err != nil {
		return nil, err
	}
	for {
		w, ok := k.pop()
		if !ok {
			return k.now, nil
		}
		if err := k.index.lookup.SpendSteps(1); err != nil {
			return nil, err
		}
		if err := k.place(w, 0); err != nil {
			return nil, err
		}
	}
}

// pop takes the dependency with the fewest candidates.
func (k *locker) pop() (wanted, bool) {
	best := -1
	for i, s := range k.now.open {
		if best < 0 || len(s.list[0].candidates) < len(k.now.open[best].list[0].candidates) {
			best = i
		}
	}
	if best < 0 {
		return wanted{}, false
	}
	w := k.now.open[best].list[0]
	if rest := k.now.open[best].list[1:]; len(rest) > 0 {
		k.now.open[best] = siblings{rest}
	} else {
		k.now.open = slices.Delete(k.now.open, best, best+1)
	}
	return w, true
}

// place gives a dependency the first candidate that fits, from a place on, and
// goes back where none does.
func (k *locker) place(w wanted, from int) error {
	for {
		against := map[*crate]bool{w.parent: true}
		placed, err := k.try(w, from, against)
		if err != nil || placed {
			return err
		}
		var ok bool
		text := "no version of " + w.parent.deps[w.dep].crate + " " + w.parent.deps[w.dep].text +
			" fits, which " + w.parent.key.Name + " " + w.parent.key.Version + " needs"
		if w, from, ok = k.back(against); !ok {
			return &conflictError{text}
		}
	}
}

func (k *locker) try(w wanted, from int, against map[*crate]bool) (bool, error) {
	for i := from; i < len(w.candidates); i++ {
		if err := k.index.lookup.SpendSteps(1); err != nil {
			return false, err
		}
		c, err := k.index.crate(w.parent.deps[w.dep].crate, w.candidates[i])
		if err != nil {
			return false, err
		}
		if held := k.now.slots[c.slot]; held != nil && held != c {
			against[held] = true
			continue
		}
		if held := k.now.links[c.links]; c.links != "" && held != nil && held != c {
			against[held] = true
			continue
		}
		if !c.has(w.features) {
			continue
		}
		if i+1 < len(w.candidates) {
			k.earlier = append(k.earlier, retry{k.now.copied(), w, i + 1})
			if err := k.index.lookup.SpendSteps(len(k.now.slots)/64 + 1); err != nil {
				return false, err
			}
		}
		fits, err := k.activate(c, w.features)
		if err != nil {
			return false, err
		}
		if !fits {
			continue
		}
		k.now.chosen[choice{w.parent, w.dep}] = c
		return true, nil
	}
	return false, nil
}

// back is the latest choice before which not all that stands against is
// active: any later one would meet the same conflict.
func (k *locker) back(against map[*crate]bool) (wanted, int, bool) {
	for len(k.earlier) > 0 {
		r := k.earlier[len(k.earlier)-1]
		k.earlier = k.earlier[:len(k.earlier)-1]
		same := true
		for c := range against {
			same = same && r.at.slots[c.slot] == c
		}
		if !same {
			k.now = r.at
			return r.want, r.next, true
		}
	}
	return wanted{}, 0, false
}

// has reports whether a crate declares the features that are wanted of it.
func (c *crate) has(features []string) bool {
	if c.unknown {
		return true
	}
	for _, f := range features {
		name, _, inner := strings.Cut(f, "/")
		if _, ok := c.features[name]; !ok && !inner && f != "default" && !strings.HasPrefix(f, "dep:") {
			return false
		}
	}
	return true
}

// activate adds a crate with features. What it needs is opened unless all of
// the features were on before.
func (k *locker) activate(c *crate, features []string) (bool, error) {
	had, known := k.now.on[c]
	fresh := slices.ContainsFunc(features, func(f string) bool { return !had[f] })
	if known && !fresh {
		return true, nil
	}
	if k.nodes++; len(k.now.slots) > graph.MaxNodes {
		return false, graph.ErrTooManyNodes
	}
	on := maps.Clone(had)
	if on == nil {
		on = map[string]bool{}
	}
	for _, f := range features {
		on[f] = true
	}
	k.now.on[c], k.now.slots[c.slot] = on, c
	if c.links != "" {
		k.now.links[c.links] = c
	}
	return true, k.open(c, features)
}

// open lists what the features of a crate turn on.
func (k *locker) open(c *crate, features []string) error {
	turned := map[string][]string{}
	seen := map[string]bool{}
	for _, f := range features {
		if err := k.turnOn(c, parseValue(f), turned, seen); err != nil {
			return err
		}
	}
	var list []wanted
	for i := range c.deps {
		d := &c.deps[i]
		more, on := turned[d.name]
		if d.dev || d.optional && !on {
			continue
		}
		candidates, err := k.index.candidates(d.crate, d.text)
		if err != nil {
			return err
		}
		if len(candidates) == 0 {
			k.miss(c, d)
			continue
		}
		list = append(
			list,
			wanted{c, i, defaultFeatures(append(slices.Clone(d.features), more...), d.defaults), candidates},
		)
	}
	if len(list) > 0 {
		slices.SortStableFunc(list, func(a, b wanted) int { return len(a.candidates) - len(b.candidates) })
		k.now.open = append(k.now.open, siblings{list})
	}
	return nil
}

func (k *locker) miss(c *crate, d *need) {
	text := "no version of " + d.crate + " satisfies " + d.text
	if !slices.Contains(k.missing[c], text) {
		k.missing[c] = append(k.missing[c], text)
	}
}

// turnOn follows a feature. In this step a weak one turns its dependency on, as
// it does in lock files.
func (k *locker) turnOn(c *crate, v value, turned map[string][]string, seen map[string]bool) error {
	if err := k.index.lookup.SpendSteps(1); err != nil {
		return err
	}
	if v.dep != "" {
		if v.feature == "" {
			turned[v.dep] = append(turned[v.dep], []string{}...)
			if turned[v.dep] == nil {
				turned[v.dep] = []string{}
			}
			return nil
		}
		turned[v.dep] = append(turned[v.dep], v.feature)
		if _, ok := c.features[v.dep]; ok && !v.weak {
			return k.turnOn(c, value{feature: v.dep}, turned, seen)
		}
		return nil
	}
	if seen[v.feature] {
		return nil
	}
	seen[v.feature] = true
	for _, next := range c.features[v.feature] {
		if err := k.turnOn(c, next, turned, seen); err != nil {
			return err
		}
	}
	return nil
}

// defaultFeatures adds the default feature to those that are named.
func defaultFeatures(features []string, defaults bool) []string {
	if defaults && !slices.Contains(features, "default") {
		features = append(features, "default")
	}
	return features
}
