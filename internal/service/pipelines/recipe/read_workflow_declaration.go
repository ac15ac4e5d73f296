package recipe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// workflow is an entry under workflows.
type workflow struct {
	name string
	node *node
	uses []*use
	when *node
	not  *node
	// schedules make the workflow one that pushes do not run.
	schedules []Schedule
	reruns    *node
}

// use is one job in a workflow.
type use struct {
	at       *node
	name     string
	alias    string // the name of the matrix that it is of
	job      string // the key under jobs; empty for an approval without one
	requires []string
	after    map[string][]string
	filters  filters
	contexts []string
	serial   string
	approval bool
	before   *node
	behind   *node
	given    map[string]*node
	// local are the values of the matrix.
	local map[string]any
}

// scope is what the settings of the use see.
func (u *use) scope(s scope) scope {
	s = s.with("job.name", u.name)
	for name, value := range u.local {
		s = s.with(name, value)
	}
	return s
}

// statuses that a requirement may name.
func statuses() []string {
	return []string{"success", "failed", "canceled", "unauthorized", "not_run", "terminal"}
}

func readWorkflow(e entry, s scope) (*workflow, error) {
	in := open(e.node, s, "the workflow "+e.key)
	w := &workflow{name: e.key, node: e.node, when: in.take("when"), not: in.take("unless")}
	jobs, triggers := in.take("jobs"), in.take("triggers")
	w.reruns = in.take("max_auto_reruns")
	if err := in.close(); err != nil {
		return nil, err
	}
	if triggers != nil {
		var err error
		if w.schedules, err = readTriggers(e.key, triggers, s); err != nil {
			return nil, err
		}
	}
	if jobs == nil || jobs.kind != sequence || len(jobs.items) == 0 {
		return nil, e.at.errorf("the workflow %s needs jobs, a list", e.key)
	}
	if len(jobs.items) > maxJobs {
		return nil, jobs.errorf("the workflow %s runs more than %d jobs", e.key, maxJobs)
	}
	for _, item := range jobs.items {
		uses, err := readUses(item, s)
		if err != nil {
			return nil, err
		}
		if w.uses = append(w.uses, uses...); len(w.uses) > maxJobs {
			return nil, item.errorf("the workflow %s runs more than %d jobs", e.key, maxJobs)
		}
	}
	w.nameUses()
	if err := w.resolveAliases(s); err != nil {
		return nil, err
	}
	return w, w.check()
}

// nameUses numbers uses of a job that would share a name.
func (w *workflow) nameUses() {
	seen := map[string]int{}
	for _, u := range w.uses {
		n := seen[u.name]
		seen[u.name]++
		if n > 0 {
			u.name = fmt.Sprintf("%s-%d", u.name, n)
		}
	}
}

// resolveAliases replaces the name of a matrix in requires by its jobs.
func (w *workflow) resolveAliases(s scope) error {
	byName, ofMatrix := map[string]bool{}, map[string][]string{}
	for _, u := range w.uses {
		byName[u.name] = true
		if u.alias != "" {
			ofMatrix[u.alias] = append(ofMatrix[u.alias], u.name)
		}
	}
	if len(ofMatrix) == 0 {
		return nil
	}
	for _, u := range w.uses {
		var all []string
		for _, name := range u.requires {
			members := ofMatrix[name]
			if byName[name] || len(members) == 0 {
				all = append(all, name)
				continue
			}
			if err := s.spend(u.at, len(members), 0); err != nil {
				return err
			}
			ends, given := u.after[name]
			delete(u.after, name)
			for _, member := range members {
				if given {
					u.after[member] = ends
				}
				if !slices.Contains(all, member) {
					all = append(all, member)
				}
			}
		}
		u.requires = all
	}
	return nil
}

// readUses reads one entry of a workflow's jobs: one use, or one for each
// combination of a matrix.
func readUses(n *node, s scope) ([]*use, error) {
	word, body := n.text, (*node)(nil)
	switch {
	case n.kind == scalar && n.text != "":
	case n.kind == mapping && len(n.entries) == 1:
		word, body = n.entries[0].key, n.entries[0].node
	default:
		return nil, n.errorf("an entry of jobs is the name of a job, or one name with its settings below it")
	}
	if body != nil && body.kind == scalar && body.value == nil {
		body = nil
	}
	if body == nil || body.kind != mapping || body.get("matrix") == nil {
		u, err := readUse(n, word, body, s)
		return []*use{u}, err
	}
	m, err := readMatrix(body.get("matrix"), s)
	if err != nil {
		return nil, err
	}
	var out []*use
	for _, row := range m.rows {
		inner, err := m.scope(row, s)
		if err != nil {
			return nil, err
		}
		u, err := readUse(n, word, body, inner)
		if err != nil {
			return nil, err
		}
		if u.approval {
			return nil, m.at.errorf("an approval has no matrix")
		}
		u.local, u.alias = inner.local, cmp.Or(m.alias, word)
		if u.name == word {
			suffix, err := m.suffix(row, s)
			if err != nil {
				return nil, err
			}
			u.name += "-" + suffix
		}
		maps.Copy(u.given, row)
		out = append(out, u)
	}
	return out, nil
}

// readUse reads the settings of one job.
func readUse(n *node, word string, body *node, s scope) (*use, error) {
	u := &use{at: n, job: word, name: word, given: map[string]*node{}, after: map[string][]string{}}
	if body != nil {
		if err := readSettings(u, body, s); err != nil {
			return nil, err
		}
	}
	if s.space.job(u.job) == nil && !u.approval {
		return nil, n.errorf("the job %q is not declared under jobs; known are %s", u.job, names(s.space, jobsOf))
	}
	if len(u.name) > maxName {
		return nil, n.errorf("a name of %d bytes, at most %d", len(u.name), maxName)
	}
	return u, nil
}

func readSettings(u *use, body *node, s scope) error {
	in := open(body, s, "the settings of a job")
	if name := in.text("name"); name != "" {
		u.name = name
	}
	requires := in.take("requires")
	given := in.take("filters")
	u.contexts = in.strings("context")
	u.serial = in.text("serial-group")
	u.approval = in.text("type") == "approval"
	u.before, u.behind = in.take("pre-steps"), in.take("post-steps")
	in.take("matrix")
	if len(u.serial) > maxName {
		in.fail(body.errorf("serial-group has %d bytes, at most %d", len(u.serial), maxName))
	}
	if in.err != nil {
		return in.err
	}
	for _, e := range body.entries {
		if !slices.Contains(in.known, e.key) {
			u.given[e.key] = e.node
		}
	}
	var err error
	if u.filters, err = readFilters(given, s); err != nil {
		return err
	}
	return u.readRequires(requires, s)
}

// readRequires reads names, and names with the ends that count.
func (u *use) readRequires(n *node, s scope) error {
	if n == nil {
		return nil
	}
	if n.kind != sequence {
		return n.errorf("requires must be a list of names, this is %s", n.what())
	}
	if len(n.items) > maxJobs {
		return n.errorf("requires names %d jobs, at most %d", len(n.items), maxJobs)
	}
	known := map[string]bool{}
	for _, item := range n.items {
		name := item.text
		if item.kind == scalar {
			var err error
			if name, err = s.text(item, "requires"); err != nil {
				return err
			}
		} else if err := s.spend(item, 1, 0); err != nil {
			return err
		}
		if item.kind == mapping && len(item.entries) == 1 {
			name = item.entries[0].key
			ends, err := s.strings(item.entries[0].node, "requires")
			if err != nil {
				return err
			}
			for _, e := range ends {
				if !slices.Contains(statuses(), e) {
					return item.errorf("%q is not an end of a job; known are %s", e, list(statuses()))
				}
			}
			u.after[name] = ends
		} else if item.kind != scalar || name == "" {
			return item.errorf("an entry of requires is the name of a job")
		}
		if !known[name] {
			known[name] = true
			u.requires = append(u.requires, name)
		}
	}
	return nil
}
