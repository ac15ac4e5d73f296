package identity

import (
	"context"
	"crypto/subtle"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
)

// HasSecret reports whether the secret is the client's, in constant time.
func (c Client) HasSecret(secret string) bool {
	hash := hashSecret(secret)
	return subtle.ConstantTimeCompare(hash[:], c.secretHash) == 1
}

// RevokeGrant ends the token with the secret and every other of its grant;
// ErrUnknown when there is no such token.
func (i *Identity) RevokeGrant(ctx context.Context, secret string) error {
	hash := hashSecret(secret)
	now := i.now()
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		t, err := credentialByHash(ctx, tx, hash[:])
		if err != nil {
			return orUnknown(err)
		}
		if err := i.forgetOnCommit(tx)(revokeByID(ctx, tx, t.ID, now)); err != nil || t.Family == "" {
			return err
		}
		return i.forgetOnCommit(tx)(revokeFamily(ctx, tx, t.Family, now))
	})
}

// services are those named by the issue and, if it asks for them, those that
// declare one of the scopes.
func (i *Identity) services(issue Issue, own string, scopes []string) []string {
	services := slices.Clone(issue.Services)
	if len(services) == 0 {
		services = []string{own}
	}
	if !issue.ForScopes {
		return services
	}
	for service, m := range i.registry.Load().services {
		owns := slices.ContainsFunc(m.Scopes, func(s Scope) bool { return slices.Contains(scopes, s.Name) })
		if owns && !slices.Contains(services, service) {
			services = append(services, service)
		}
	}
	slices.Sort(services)
	return services
}
