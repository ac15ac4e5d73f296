package identity

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// CacheLen counts the cached callers.
func (i *Identity) CacheLen() int { return i.cache.Len() }

// Resolve is Verify for every kind of credential, refresh tokens too.
func (i *Identity) Resolve(ctx context.Context, service, secret string) (*Caller, error) {
	e, err := i.lookup(ctx, secret)
	if err != nil {
		return nil, err
	}
	i.noteUse(e)
	if service != "" && !e.caller.For(service) {
		return nil, ErrUnknown
	}
	return e.caller, nil
}

// ResolveClient is what ClientAuthenticator asks.
func (i *Identity) ResolveClient(ctx context.Context, id, secret string) (*Caller, error) {
	return i.resolveClient(ctx, id, secret)
}

// ResolvePair is what PairAuthenticator asks.
func (i *Identity) ResolvePair(ctx context.Context, service, apiKey, applicationKey string) (*Caller, error) {
	return i.resolvePair(ctx, service, apiKey, applicationKey)
}

// SweepCredentials is a part of the daily job.
func (i *Identity) SweepCredentials(ctx context.Context, before time.Time) (int64, error) {
	return i.sweep(ctx, deleteDeadCredentials, before)
}

// SweepReplacements is a part of the daily job.
func (i *Identity) SweepReplacements(ctx context.Context, before time.Time) (int64, error) {
	return i.sweepReplacements(ctx, before)
}

// SweepSessions is a part of the daily job.
func (i *Identity) SweepSessions(ctx context.Context, before time.Time) (int64, error) {
	return i.sweep(ctx, deleteExpiredSessions, before)
}

// RevokeFamily is RevokeFamilyIn in a transaction of its own.
func (i *Identity) RevokeFamily(ctx context.Context, family string) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return i.RevokeFamilyIn(ctx, tx, family)
	})
}

// ReplacePassword is the second half of ChangePassword.
func (i *Identity) ReplacePassword(ctx context.Context, u User, password string) error {
	return i.replacePassword(ctx, u, password)
}
