package identity

import "context"

// CacheLen counts the cached callers.
func (i *Identity) CacheLen() int { return i.cache.len() }

// HoldPasswordSlots keeps every place for computing a hash until released.
func (i *Identity) HoldPasswordSlots() (release func()) {
	for range cap(i.passwords.slots) {
		i.passwords.slots <- struct{}{}
	}
	return func() {
		for range cap(i.passwords.slots) {
			<-i.passwords.slots
		}
	}
}

// HashPassword computes a hash and forgets it.
func (i *Identity) HashPassword(ctx context.Context, password string) error {
	_, err := i.passwords.hash(ctx, i.ids, password)
	return err
}
