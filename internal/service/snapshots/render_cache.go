package snapshots

import (
	"sync"
	"time"
)

// renderCache remembers which picture a request gave and how much its owner had
// stored then. A request names its time range, so while nothing was added the
// picture cannot change and need not be drawn again. It is used where one
// process sees every write, see remembers.
type renderCache struct {
	mu       sync.Mutex
	versions map[string]uint64 // of an owner's data
	pictures map[string]cachedRender
}

// cachedRender is the hash of a picture, the data it was drawn from, and how long its
// bytes are kept, zero being for ever.
type cachedRender struct {
	version uint64
	hash    string
	expires time.Time
}

// Bounds of the memory; beyond them it starts anew.
const (
	maxCachedRenders = 4096
	maxOwners        = 100_000
)

// forget makes what was drawn from an owner's data stale: they stored something.
func (d *renderCache) forget(org string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.versions == nil || len(d.versions) >= maxOwners {
		// Forgetting versions must forget pictures, too: counting starts anew.
		d.versions, d.pictures = map[string]uint64{}, nil
	}
	d.versions[org]++
}

// version is the state of what a tenant can read.
func (d *renderCache) version(t Tenant) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.versions[t.Org]
	if t.Own {
		v += d.versions[ownOrg]
	}
	return v
}

// get returns a picture that was drawn from the same data.
func (d *renderCache) get(digest string, version uint64) (cachedRender, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.pictures[digest]
	return p, ok && p.version == version
}

// known reports whether a request was drawn before, be it from older data: it can
// be drawn.
func (d *renderCache) known(digest string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.pictures[digest]
	return ok
}

func (d *renderCache) put(digest string, p cachedRender) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pictures == nil || len(d.pictures) >= maxCachedRenders {
		d.pictures = map[string]cachedRender{}
	}
	d.pictures[digest] = p
}
