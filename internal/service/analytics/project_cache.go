package analytics

import (
	"sync"

	"stoa.dev/stoa/internal/platform/database"
)

// maxCachedProjects is how many projects are kept in memory.
const maxCachedProjects = 10_000

// projectCache keeps projects that were read. It is exact where one process owns
// the database: every change passes through forget before its writer is answered.
// A cache keyed by a revision in the database would read a row to save the same
// row; without this one a request takes twice the processor time.
type projectCache struct {
	mu sync.RWMutex
	// generation grows with every change. What was read before one and arrives
	// after it is not kept.
	generation uint64
	projects   map[int64]Project
}

// get returns a kept project, and the generation to hand to put otherwise.
func (c *projectCache) get(id int64) (p Project, generation uint64, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p, ok = c.projects[id]
	return p, c.generation, ok
}

func (c *projectCache) put(p Project, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation {
		return
	}
	if c.projects == nil || len(c.projects) >= maxCachedProjects {
		c.projects = make(map[int64]Project)
	}
	c.projects[p.ID] = p
}

// forget drops a project once tx has committed.
func (c *projectCache) forget(tx *database.Tx, id int64) {
	tx.OnCommit(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.generation++
		delete(c.projects, id)
	})
}
