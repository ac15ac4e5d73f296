package faultrule

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Set holds the rules of one world. It is safe for concurrent use.
type Set struct {
	seed uint64
	now  func() time.Time

	names atomic.Pointer[func() *Catalogue]
	rules atomic.Pointer[[]*rule]

	stale atomic.Int64 // bytes that rules keep of answers

	mu   sync.Mutex // orders changes
	next uint64
}

// Status is a rule and how often it was met.
type Status struct {
	ID string `json:"id"`
	// Hits is how often the deed was done, Matches how often the match was true.
	Hits    int64 `json:"hits"`
	Matches int64 `json:"matches"`
	Rule
}

// NewSet makes a set without rules. The seed decides shares; now is the world's
// time.
func NewSet(seed uint64, now func() time.Time, names *Catalogue) *Set {
	s := &Set{seed: seed, now: now}
	s.Provide(func() *Catalogue { return names })
	s.rules.Store(&[]*rule{})
	return s
}

// Provide replaces the catalogue by that of the services that run. It is made when the
// first rule asks for it.
func (s *Set) Provide(names func() *Catalogue) {
	once := sync.OnceValue(names)
	s.names.Store(&once)
}

func (s *Set) catalogue() *Catalogue { return (*s.names.Load())() }

// Add checks and compiles a rule; it counts from now on.
func (s *Set) Add(r Rule) (Status, error) {
	if err := r.check(s.catalogue()); err != nil {
		return Status{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(*s.rules.Load()) >= maxRules {
		full := refuse("match", "delete some rules", "cannot be added: there are %d rules already", maxRules)
		full.Full = true
		return Status{}, full
	}
	s.next++
	made := compile(r, s.next)
	made.stale.used = &s.stale
	made.id = "f" + strconv.FormatUint(s.next, 10)
	list := append(slices.Clone(*s.rules.Load()), made)
	s.rules.Store(&list)
	return made.status(), nil
}

// List is every rule in the order they were added.
func (s *Set) List() []Status {
	list := []Status{}
	for _, r := range *s.rules.Load() {
		list = append(list, r.status())
	}
	return list
}

// Unmet are the rules that never hit.
func (s *Set) Unmet() []Status {
	return slices.DeleteFunc(s.List(), func(r Status) bool { return r.Hits > 0 })
}

// Remove takes a rule out and reports whether it was there.
func (s *Set) Remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.rules.Load()
	list := slices.DeleteFunc(slices.Clone(old), func(r *rule) bool { return r.id == id })
	s.rules.Store(&list)
	for _, r := range old {
		if r.id == id {
			r.stale.close()
		}
	}
	return len(list) < len(old)
}

// Clear takes all rules out; the next one has the first number again.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.rules.Load()
	s.rules.Store(&[]*rule{})
	for _, r := range old {
		r.stale.close()
	}
	s.next = 0
}

// find is the first rule that the subject meets, nil when there is none.
func (s *Set) find(c *subject) *rule {
	rules := *s.rules.Load()
	if len(rules) == 0 {
		return nil
	}
	names := s.catalogue()
	for _, r := range rules {
		if r.matches(c, names) && r.due(s.seed, s.now) {
			r.hits.Add(1)
			r.note(c)
			return r
		}
	}
	return nil
}
