package grants

import (
	"crypto/sha256"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/world"
)

// Grants makes, decides and redeems grants. It is safe for concurrent use.
type Grants struct {
	db       *database.DB
	clock    clock.Clock
	ids      *ids.Source
	identity *identity.Identity
	polls    pollTimes
}

// New builds the machine on a world and the identity in it.
func New(w *world.World, identity *identity.Identity) *Grants {
	return &Grants{db: w.DB, clock: w.Clock, ids: w.IDs, identity: identity}
}

// now is the world's time in the precision that is stored.
func (g *Grants) now() time.Time { return g.clock.Now().UTC().Truncate(time.Microsecond) }

// maxCode bounds what is hashed; no code made here comes near it.
const maxCode = 512

// hashCode is the form in which codes are stored. They are random, so no salt is needed.
func hashCode(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}
