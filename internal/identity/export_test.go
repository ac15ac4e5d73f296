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

// Resolve is Verify for whatever kind the secret is of, refresh tokens too.
func (i *Identity) Resolve(ctx context.Context, service, secret string) (*Caller, error) {
	e, err := i.lookup(ctx, secret)
	if err != nil {
		return nil, err
	}
	if service != "" && !e.caller.For(service) {
		return nil, ErrUnknown
	}
	return e.caller, nil
}
