package snapshots

import (
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/memo"
)

// renderCache remembers which picture a request gave and how much its owner had
// stored then. A request names its time range, so while nothing was added the
// picture cannot change and need not be drawn again. It is used where one
// process sees every write, see remembers.
type renderCache struct {
	pictures *memo.Cache[string, cachedRender]

	mu sync.Mutex
	// changes counts those of all data, versions has the last one of an owner's. It is
	// since or earlier for an owner who is not named.
	changes, since uint64
	versions       map[string]uint64
}

// cachedRender is the hash of a picture, the data it was drawn from, and how long its
// bytes are kept, zero being for ever.
type cachedRender struct {
	version uint64
	hash    string
	expires time.Time
}

// Bounds of the memory.
const (
	maxCachedRenders = 4096
	maxOwners        = 100_000
)

func newRenderCache() *renderCache {
	return &renderCache{
		pictures: memo.NewCounted[string, cachedRender](maxCachedRenders), versions: map[string]uint64{},
	}
}

// forget makes what was drawn from an owner's data stale: they stored something.
func (d *renderCache) forget(org string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.versions) >= maxOwners {
		// Counting goes on: a number must not come again while a picture has it.
		d.versions, d.since = map[string]uint64{}, d.changes
	}
	d.changes++
	d.versions[org] = d.changes
}

// version is the state of what a tenant can read.
func (d *renderCache) version(t Tenant) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := max(d.versions[t.Org], d.since)
	if t.Own {
		v += max(d.versions[ownOrg], d.since)
	}
	return v
}

// get returns a picture that was drawn from the same data.
func (d *renderCache) get(digest string, version uint64) (cachedRender, bool) {
	p, ok := d.pictures.Get(digest)
	return p, ok && p.version == version
}

// known reports whether a request was drawn before, be it from older data: it can
// be drawn.
func (d *renderCache) known(digest string) bool {
	_, ok := d.pictures.Get(digest)
	return ok
}

func (d *renderCache) put(digest string, p cachedRender) { d.pictures.Put(digest, p) }
