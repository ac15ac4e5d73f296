package articles

import (
	"sync"

	"stoa.dev/stoa/internal/platform/database"
)

// The bounds of what is kept in memory.
const (
	shelfBytes  = 32 << 20
	shelfPeople = 10_000
	// maxKept is the largest item that is kept: a larger one would push out
	// hundreds of others.
	maxKept = 256 << 10
)

// document is an item as it is sent, but for what changes without it: its
// author and its page views.
type document struct {
	number         int64
	id             string
	teamID, userID int64
	group          int64
	private        bool
	views          int64
	// text ends where the number of page views follows.
	text []byte
}

// shelf keeps documents and people that were read, ready to be sent. It is exact
// where one process owns the database: every change forgets what it touches
// before its writer is answered. Elsewhere nothing is kept.
type shelf struct {
	mu sync.RWMutex
	// generation grows with every change. What was read before one and arrives
	// after it is not kept.
	generation uint64
	bytes      int
	items      map[int64]*document
	ids        map[string]*document
	people     map[int64]*portrait
	// totals are how many items an edition shows.
	totals map[int64]int64
	// draw makes a portrait.
	draw func(Person) *portrait
	// found are how many items searches find; any change forgets all of them.
	found map[string]int64
}

// item finds a document by its id, or else the generation to hand to keep.
func (h *shelf) item(id string) (*document, uint64) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.ids[id], h.generation
}

// fill puts the documents that are kept into their places and tells how many
// are missing.
func (h *shelf) fill(numbers []int64, out []*document) (missing int, generation uint64) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for n, number := range numbers {
		if out[n] = h.items[number]; out[n] == nil {
			missing++
		}
	}
	return missing, h.generation
}

// holds reports whether all of these are kept, which long items are not.
func (h *shelf) holds(numbers []int64) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, number := range numbers {
		if h.items[number] == nil {
			return false
		}
	}
	return true
}

func (h *shelf) keep(generation uint64, list ...*document) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.generation != generation {
		return
	}
	for _, d := range list {
		if len(d.text) > maxKept || h.items[d.number] != nil {
			continue
		}
		if h.items == nil || h.bytes+len(d.text) > shelfBytes {
			h.items, h.ids, h.bytes = map[int64]*document{}, map[string]*document{}, 0
		}
		h.items[d.number], h.ids[d.id] = d, d
		h.bytes += len(d.text)
	}
}

// portrait is a person as sent, and what items say of their author.
type portrait struct {
	name, title string
	text        []byte
	person      Person
}

// person finds a portrait, or else the generation to hand to keepPerson.
func (h *shelf) person(id int64) (*portrait, uint64) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.people[id], h.generation
}

func (h *shelf) keepPerson(generation uint64, id int64, p *portrait) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.generation != generation {
		return
	}
	if h.people == nil || len(h.people) >= shelfPeople {
		h.people = map[int64]*portrait{}
	}
	h.people[id] = p
}

// total is how many items an edition shows, if that is known.
func (h *shelf) total(teamID int64) (n int64, known bool, generation uint64) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	n, known = h.totals[teamID]
	return n, known, h.generation
}

func (h *shelf) keepTotal(generation uint64, teamID, n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.generation != generation {
		return
	}
	if h.totals == nil {
		h.totals = map[int64]int64{}
	}
	h.totals[teamID] = n
}

// change is what a transaction did to the things that are kept.
type change struct {
	items, people []int64
	// everything is for changes that touch more than can be named.
	everything bool
	teamID     int64
	// shown is by how much the edition's total changed, and with it the count of
	// the author, if that is kept.
	shown  int64
	author int64
}

// forget drops what a change touches, once tx has committed.
func (h *shelf) forget(tx *database.Tx, c change) {
	tx.OnCommit(func() { h.apply(c) })
}

// recount draws a person who wrote more, or less. People who write often would
// otherwise be looked up after every item.
func (h *shelf) recount(p *portrait, by int64) *portrait {
	person := p.person
	person.Items += by
	return h.draw(person)
}

func (h *shelf) apply(c change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.generation++
	clear(h.found)
	if c.everything {
		h.items, h.ids, h.people, h.bytes = nil, nil, nil, 0
	}
	for _, number := range c.items {
		if d := h.items[number]; d != nil {
			delete(h.items, number)
			delete(h.ids, d.id)
			h.bytes -= len(d.text)
		}
	}
	for _, id := range c.people {
		delete(h.people, id)
	}
	if p := h.people[c.author]; p != nil {
		h.people[c.author] = h.recount(p, c.shown)
	}
	if n, known := h.totals[c.teamID]; known {
		h.totals[c.teamID] = n + c.shown
	}
}

// maxFound bounds the searches whose totals are remembered.
const maxFound = 4096

// of is the number of items that a search finds, counted once until something
// changes.
func (h *shelf) of(key string, count func() (int64, error)) (int64, error) {
	h.mu.RLock()
	n, known := h.found[key]
	generation := h.generation
	h.mu.RUnlock()
	if known {
		return n, nil
	}
	n, err := count()
	if err != nil {
		return 0, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.generation != generation {
		return n, nil
	}
	if h.found == nil || len(h.found) >= maxFound {
		h.found = map[string]int64{}
	}
	h.found[key] = n
	return n, nil
}

// uncounted remembers nothing, for databases that others change too.
type uncounted struct{}

func (uncounted) of(_ string, count func() (int64, error)) (int64, error) { return count() }

// totals is what searches remember their totals in.
func (s *Service) totals() totals {
	if s.keeps() {
		return &s.shelf
	}
	return uncounted{}
}
