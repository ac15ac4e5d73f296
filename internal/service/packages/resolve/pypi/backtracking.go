package pypi

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// cause is a requirement and the candidate that has it; nil is the root.
type cause struct {
	req    *requirement
	parent *candidate
}

// criterion is everything that is wanted of one name, with what was found not
// to work. It is never changed, only replaced.
type criterion struct {
	// of is the first requirement, which names what is wanted.
	of       *requirement
	search   *search
	project  *project
	first    int
	causes   []cause
	excluded map[string]bool
}

func (c *criterion) reqs() []*requirement {
	list := make([]*requirement, len(c.causes))
	for i := range c.causes {
		list[i] = c.causes[i].req
	}
	return list
}

// state is one step of a resolution: the pins in the order they were made.
type state struct {
	pins     []*candidate
	criteria map[string]*criterion
	// backtracked are the causes of the last conflict.
	backtracked []cause
}

func (s *state) pin(id string) *candidate {
	for _, c := range s.pins {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (s *state) unpin(id string) {
	s.pins = slices.DeleteFunc(s.pins, func(c *candidate) bool { return c.id == id })
}

func (s *state) copied() *state {
	return &state{
		pins: slices.Clone(s.pins), criteria: maps.Clone(s.criteria), backtracked: slices.Clone(s.backtracked),
	}
}

// satisfied reports whether a name's pin is one that everything admits.
func (s *state) satisfied(id string, c *criterion) bool {
	pin := s.pin(id)
	return pin != nil && !slices.ContainsFunc(c.causes, func(c cause) bool { return !c.req.admits(pin) })
}

// resolution is the algorithm of resolvelib: pin the name that is preferred
// most, and on a conflict jump back to a pin that had part in it.
type resolution struct {
	p      *provider
	states []*state
	depths map[string]float64
}

// maxRounds is pip's own bound.
const maxRounds = 200_000

func (r *resolution) state() *state { return r.states[len(r.states)-1] }

func (r *resolution) push() { r.states = append(r.states, r.state().copied()) }

// conflictError is a name for which nothing is left.
type conflictError struct{ causes []cause }

func (e *conflictError) Error() string { return "conflict" }

func (r *resolution) resolve(root *requirement) (*state, error) {
	r.depths = map[string]float64{}
	r.states = []*state{{criteria: map[string]*criterion{}}}
	conflict, err := r.add(r.state().criteria, root, nil)
	if err != nil {
		return nil, err
	}
	if conflict != nil {
		return nil, &impossibleError{conflict.causes}
	}
	r.push()
	for range maxRounds {
		s := r.state()
		open := r.open(s)
		if len(open) == 0 {
			return s, nil
		}
		if err := r.p.lookup.SpendSteps(len(s.criteria)); err != nil {
			return nil, err
		}
		causes, err := r.attempt(s, r.preferred(s, open))
		if err != nil {
			return nil, err
		}
		if causes == nil {
			r.discard(s, open)
			r.push()
			continue
		}
		if err := r.backjump(causes); err != nil {
			return nil, err
		}
		r.state().backtracked = causes
	}
	return nil, &impossibleError{r.state().backtracked}
}

func (r *resolution) open(s *state) map[string]bool {
	open := map[string]bool{}
	for id, c := range s.criteria {
		if !s.satisfied(id, c) {
			open[id] = true
		}
	}
	return open
}

// discard drops what pins say that were satisfied before and are not any more.
func (r *resolution) discard(s *state, open map[string]bool) {
	gone := map[string]bool{}
	for id, c := range s.criteria {
		if !open[id] && s.pin(id) != nil && !s.satisfied(id, c) {
			gone[id] = true
		}
	}
	if len(gone) == 0 {
		return
	}
	for id, c := range s.criteria {
		kept := *c
		kept.causes = slices.DeleteFunc(slices.Clone(c.causes), func(c cause) bool {
			return c.parent != nil && gone[c.parent.id]
		})
		s.criteria[id] = &kept
	}
}

// preference is pip's order: pinned requirements first, then what caused the
// last conflict, then what is nearer to the root, then what has a clause.
type preference struct {
	free, blameless, unpinned int
	depth                     float64
	id                        string
}

func (r *resolution) preferred(s *state, open map[string]bool) string {
	var best preference
	for _, id := range slices.Sorted(maps.Keys(open)) {
		p := r.preference(s, id)
		if best.id == "" || cmp.Or(cmp.Compare(p.unpinned, best.unpinned), cmp.Compare(p.blameless, best.blameless),
			cmp.Compare(p.depth, best.depth), cmp.Compare(p.free, best.free), strings.Compare(p.id, best.id)) < 0 {
			best = p
		}
	}
	return best.id
}

func (r *resolution) preference(s *state, id string) preference {
	p := preference{id: id, free: 1, unpinned: 1, blameless: 1, depth: math.Inf(1)}
	for _, c := range s.criteria[id].causes {
		for _, spec := range c.req.specs {
			p.free = 0
			if strings.HasPrefix(spec.op, "==") {
				p.unpinned = 0
			}
		}
		above, known := 0.0, true
		if c.parent != nil {
			above, known = r.depths[c.parent.id], r.depths[c.parent.id] > 0
		}
		if known {
			p.depth = min(p.depth, above+1)
		}
	}
	r.depths[id] = p.depth
	for _, c := range s.backtracked {
		if c.req.id == id || c.parent != nil && c.parent.id == id {
			p.blameless = 0
		}
	}
	return p
}

// add adds a requirement to what is wanted of its name.
func (r *resolution) add(criteria map[string]*criterion, req *requirement, parent *candidate) (*conflictError, error) {
	next := &criterion{of: req}
	if had := criteria[req.id]; had != nil {
		next.of, next.causes, next.excluded = had.of, slices.Clone(had.causes), had.excluded
	}
	next.causes = append(next.causes, cause{req, parent})
	if err := r.search(criteria, next); err != nil {
		return nil, err
	}
	if next.first < 0 {
		return &conflictError{next.causes}, nil
	}
	criteria[req.id] = next
	return nil, nil
}

// search finds where a criterion's candidates begin. A name with extras is of
// the version that is wanted of the plain name.
func (r *resolution) search(criteria map[string]*criterion, c *criterion) error {
	reqs := c.reqs()
	if len(c.of.extras) > 0 {
		if plain := criteria[c.of.name]; plain != nil {
			reqs = append(reqs, plain.reqs()...)
		}
	}
	project, err := r.p.project(c.of.name)
	if err != nil {
		return err
	}
	c.project = project
	c.search, c.first, err = r.p.find(project, c.of.name, reqs, c.excluded)
	return err
}

// attempt pins a name to the first candidate whose needs conflict with nothing.
// It returns the causes of the conflicts when there is none.
func (r *resolution) attempt(s *state, id string) ([]cause, error) {
	c := s.criteria[id]
	causes := []cause{}
	for at := c.first; at >= 0; {
		pick := &candidate{
			id: id, name: c.of.name, extras: c.of.extras, version: c.project.versions[at],
		}
		criteria, conflict, err := r.updated(s, pick)
		if err != nil {
			return nil, err
		}
		if conflict == nil {
			s.criteria = criteria
			s.unpin(id)
			s.pins = append(s.pins, pick)
			return nil, nil
		}
		causes = append(causes, conflict.causes...)
		if at, err = r.p.next(c.project, c.search, at+1); err != nil {
			return nil, err
		}
	}
	return causes, nil
}

// updated is the criteria with what a candidate needs.
func (r *resolution) updated(s *state, c *candidate) (map[string]*criterion, *conflictError, error) {
	needs, err := r.p.dependencies(c)
	if err != nil {
		return nil, nil, err
	}
	if needs.python && r.p.pinned[c.name] != c.version.text {
		return nil, &conflictError{[]cause{{&requirement{id: "python", text: "of another version"}, c}}}, nil
	}
	criteria := maps.Clone(s.criteria)
	for _, req := range needs.list {
		conflict, err := r.add(criteria, req, c)
		if err != nil || conflict != nil {
			return nil, conflict, err
		}
	}
	return criteria, nil, nil
}

// backjump takes back pins until one that had part in the conflict is undone,
// and excludes its candidate.
func (r *resolution) backjump(causes []cause) error {
	guilty := map[string]bool{}
	for _, c := range causes {
		guilty[c.req.id] = true
		if c.parent != nil {
			guilty[c.parent.id] = true
		}
	}
	for len(r.states) >= 3 {
		r.states = r.states[:len(r.states)-1]
		broken, pick, err := r.broken(guilty)
		if err != nil {
			return err
		}
		if pick == nil {
			return &impossibleError{causes}
		}
		excluded := map[string]map[string]bool{}
		for id, c := range broken.criteria {
			if len(c.excluded) > 0 {
				excluded[id] = c.excluded
			}
		}
		more := maps.Clone(excluded[pick.id])
		if more == nil {
			more = map[string]bool{}
		}
		more[pick.version.text] = true
		excluded[pick.id] = more
		r.push()
		works, err := r.exclude(r.state(), excluded)
		if err != nil || works {
			return err
		}
	}
	return &impossibleError{causes}
}

// broken pops states until one whose last pin needs something that is guilty.
func (r *resolution) broken(guilty map[string]bool) (*state, *candidate, error) {
	for len(r.states) > 1 {
		s := r.state()
		r.states = r.states[:len(r.states)-1]
		if len(s.pins) == 0 {
			return nil, nil, nil
		}
		pick := s.pins[len(s.pins)-1]
		needs, err := r.p.dependencies(pick)
		if err != nil {
			return nil, nil, err
		}
		for _, req := range needs.list {
			if guilty[req.id] {
				return s, pick, nil
			}
		}
		if needs.python && guilty["python"] {
			return s, pick, nil
		}
	}
	return nil, nil, nil
}

// exclude takes candidates out of a state; false when nothing is left of a
// name.
func (r *resolution) exclude(s *state, excluded map[string]map[string]bool) (bool, error) {
	for id, versions := range excluded {
		had := s.criteria[id]
		if had == nil {
			continue
		}
		next := &criterion{of: had.of, causes: had.causes, excluded: maps.Clone(versions)}
		maps.Copy(next.excluded, had.excluded)
		if err := r.search(s.criteria, next); err != nil {
			return false, err
		}
		if next.first < 0 {
			return false, nil
		}
		s.criteria[id] = next
	}
	return true, nil
}

// impossibleError says which requirements exclude each other.
type impossibleError struct{ causes []cause }

func (e *impossibleError) Error() string {
	var parts []string
	for _, c := range e.causes {
		by := "the root"
		if c.parent != nil {
			by = c.parent.id + " " + c.parent.version.text
		}
		text := fmt.Sprintf("%s needs %s %s", by, c.req.id, c.req.text)
		if !slices.Contains(parts, text) && len(parts) < maxCauses {
			parts = append(parts, text)
		}
	}
	return "no set of versions satisfies all requirements: " + strings.Join(parts, "; ")
}

// maxCauses bounds what an error lists.
const maxCauses = 10
