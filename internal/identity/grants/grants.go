package grants

import (
	"crypto/sha256"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/readcache"
	"stoa.dev/stoa/internal/platform/world"
)

// Grants makes, decides and redeems grants. It is safe for concurrent use.
type Grants struct {
	db       *database.DB
	clock    clock.Clock
	ids      *ids.Source
	identity *identity.Identity
	polls    pollTimes
	// codes keeps what devices ask about until a user decided.
	codes *readcache.Cache[[sha256.Size]byte, polled]
}

// New builds the machine on a world and the identity in it.
func New(w *world.World, identity *identity.Identity) *Grants {
	codes := readcache.New(maxCodeBytes, polledByCode, func([sha256.Size]byte, polled) int { return polledBytes })
	w.ShowCache("identity.codes", codes.Stats)
	return &Grants{db: w.DB, clock: w.Clock, ids: w.IDs, identity: identity, codes: codes}
}

// now is the world's time in the precision that is stored.
func (g *Grants) now() time.Time { return g.clock.Now().UTC().Truncate(time.Microsecond) }

// maxCodeBytes bounds what is kept in memory of codes, and polledBytes is what one takes of
// it besides what any row does: about 50,000 devices that wait at once.
const (
	maxCodeBytes = 16 << 20
	polledBytes  = 192
)

// maxCode bounds what is hashed; no code made here comes near it.
const maxCode = 512

// hashCode is the form in which codes are stored. They are random, so no salt is needed.
func hashCode(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}
