package identity

import (
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// cachedCaller is a live credential. Only used changes after it is made.
type cachedCaller struct {
	caller    *Caller
	expiresAt int64 // Unix microseconds, as stored, which no year overflows; 0 means never
	lastUsed  atomic.Int64
}

// expired reports whether the credential has run out. It must hold on the world's
// clock, so a cached entry is asked on every use.
func (e *cachedCaller) expired(now time.Time) bool {
	return e.expiresAt != 0 && now.UnixMicro() >= e.expiresAt
}

// markUsed notes the time of use and reports whether it is news: last use is kept
// to the second, so that a busy token costs one atomic read a request.
func (e *cachedCaller) markUsed(now time.Time) bool {
	second := now.Unix()
	last := e.lastUsed.Load()
	return last != second && e.lastUsed.CompareAndSwap(last, second)
}

// forgetAll empties the caches. Changes to users, organizations, teams and
// clients are rare, so they need not know which credentials they touch.
func (i *Identity) forgetAll() {
	i.cache.Clear()
	i.clients.Clear()
}

func (i *Identity) forget(hashes []digest) { i.cache.Forget(hashes...) }

// forgetOnCommit drops the revoked credentials once the revocation is durable.
func (i *Identity) forgetOnCommit(tx *database.Tx) func(hashes []digest, err error) error {
	return func(hashes []digest, err error) error {
		if err == nil && len(hashes) > 0 {
			tx.OnCommit(func() { i.forget(hashes) })
		}
		return err
	}
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Now is the world's time as identity stores it.
func (i *Identity) Now() time.Time { return i.now() }

// ForgetUserIn forgets what is known of a user's credentials once the transaction is
// durable, and tells those who watch.
func (i *Identity) ForgetUserIn(tx *database.Tx, id int64) { tx.OnCommit(func() { i.userChanged(id) }) }

// ForgetAllIn forgets all that is known of credentials once the transaction is durable.
func (i *Identity) ForgetAllIn(tx *database.Tx) { tx.OnCommit(i.forgetAll) }
