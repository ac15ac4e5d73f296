package cargo

import (
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// unit is a crate as it is built: for the platform, or for the machine that
// builds, with features of their own.
type unit struct {
	of   *crate
	host bool
}

// builder is cargo's second step: from what was locked to what is built.
type builder struct {
	lookup *graph.Lookup
	lock   *lock
	// Of each unit: its features that are on, and its optional dependencies that are.
	enabledFeatures     map[unit]map[string]bool
	enabledDependencies map[unit]map[string]bool
	done                map[unit]bool
	// waitingFeatures are those of optional dependencies that are not on yet (dep?/feature).
	waitingFeatures map[unit]map[string][]value
	list            []unit
}

func newBuilder(l *graph.Lookup, k *lock) *builder {
	return &builder{
		lookup: l, lock: k, done: map[unit]bool{}, enabledFeatures: map[unit]map[string]bool{},
		enabledDependencies: map[unit]map[string]bool{}, waitingFeatures: map[unit]map[string][]value{},
	}
}

// add builds a crate with features.
func (b *builder) add(u unit, features []value) error {
	if err := b.lookup.SpendSteps(1 + len(features)); err != nil {
		return err
	}
	if b.enabledFeatures[u] == nil {
		b.enabledFeatures[u], b.enabledDependencies[u] = map[string]bool{}, map[string]bool{}
		b.waitingFeatures[u] = map[string][]value{}
		b.list = append(b.list, u)
	}
	for _, v := range features {
		if err := b.turnOn(u, v); err != nil {
			return err
		}
	}
	if b.done[u] {
		return nil
	}
	b.done[u] = true
	for i := range u.of.deps {
		if d := &u.of.deps[i]; !d.optional {
			if err := b.follow(u, i, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow builds what a dependency stands for, if it is for this platform.
func (b *builder) follow(u unit, dep int, more []value) error {
	d := &u.of.deps[dep]
	next := b.lock.chosen[choice{u.of, dep}]
	if d.dev || !d.target || next == nil {
		return nil
	}
	for _, f := range defaultFeatures(append([]string(nil), d.features...), d.defaults) {
		more = append(more, parseValue(f))
	}
	return b.add(unit{next, u.host || d.build}, more)
}

func (b *builder) turnOn(u unit, v value) error {
	switch {
	case v.dep == "":
		return b.feature(u, v.feature)
	case v.feature == "":
		return b.dependency(u, v.dep)
	}
	for i := range u.of.deps {
		d := &u.of.deps[i]
		if d.name != v.dep || d.dev || !d.target {
			continue
		}
		if d.optional && !b.enabledDependencies[u][v.dep] {
			if v.weak {
				b.waitingFeatures[u][v.dep] = append(b.waitingFeatures[u][v.dep], value{feature: v.feature})
				continue
			}
			if err := b.dependency(u, v.dep); err != nil {
				return err
			}
		}
		if d.optional && !v.weak {
			if err := b.feature(u, v.dep); err != nil {
				return err
			}
		}
		if next := b.lock.chosen[choice{u.of, i}]; next != nil {
			if err := b.add(unit{next, u.host || d.build}, []value{parseValue(v.feature)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) feature(u unit, name string) error {
	if b.enabledFeatures[u][name] {
		return nil
	}
	b.enabledFeatures[u][name] = true
	for _, v := range u.of.features[name] {
		if err := b.lookup.SpendSteps(1); err != nil {
			return err
		}
		if err := b.turnOn(u, v); err != nil {
			return err
		}
	}
	return nil
}

// dependency turns an optional dependency on, with the weak features that
// waited for it.
func (b *builder) dependency(u unit, name string) error {
	if b.enabledDependencies[u][name] {
		return nil
	}
	b.enabledDependencies[u][name] = true
	for i := range u.of.deps {
		if u.of.deps[i].name != name {
			continue
		}
		if err := b.follow(u, i, append([]value(nil), b.waitingFeatures[u][name]...)); err != nil {
			return err
		}
	}
	return nil
}
