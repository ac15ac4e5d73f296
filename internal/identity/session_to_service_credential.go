package identity

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/page"
)

// sessionPrefix begins the secrets of SessionCredential; no other has a colon.
const sessionPrefix = "session:"

// sessionFor keeps them apart from everything else that is sealed with the same root.
const sessionFor = "identity session credential"

// sessionLife is far above the time that one request takes.
const sessionLife = time.Minute

// noToken is the number of the key that a session stands for: there is one, which no
// row has.
const noToken = -1

// sessionClaim is what the secret holds.
type sessionClaim struct {
	User    int64  `json:"u"`
	Service string `json:"s"`
}

// SessionCredential speaks for a signed-in user to one service. It is for requests
// that the console makes inside the process (credential.With): it is stored nowhere,
// lasts a minute, and no answer contains it. It carries what the user could grant to a
// token of the service, and never the scopes that only the operator gives.
func (i *Identity) SessionCredential(u User, service string) string {
	claim := sessionClaim{User: u.ID, Service: service}
	return sessionPrefix + i.sealer().SealUntil(claim, sessionFor, i.now().Add(sessionLife))
}

// verifySession is Verify for a secret of SessionCredential. It counts as the first
// kind that the requirement names.
func (i *Identity) verifySession(ctx context.Context, sealed string, anyOf []Requirement) (*Caller, error) {
	var claim sessionClaim
	switch err := i.sealer().OpenAt(sealed, sessionFor, i.now(), &claim); {
	case errors.Is(err, page.ErrTokenExpired):
		return nil, ErrExpired
	case err != nil:
		return nil, ErrUnknown
	}
	u, err := userByID(ctx, i.db, claim.User)
	switch {
	case err != nil:
		return nil, orUnknown(err)
	case u.Disabled:
		return nil, ErrDisabled
	}
	return admit(anyOf, func(q Requirement) *Caller { return i.sessionCaller(u, claim.Service, q) })
}

func (i *Identity) sessionCaller(u User, service string, q Requirement) *Caller {
	c := &Caller{
		UserID: u.ID, UserName: u.Name, Admin: u.Admin, ServiceAccount: u.ServiceAccount,
		Services: []string{service}, Note: "console", CreatedAt: i.now(),
		limitKey: "user:" + strconv.FormatInt(u.ID, 10),
	}
	if n := slices.IndexFunc(q.Kinds, func(k Kind) bool { return k != KindRefresh }); n >= 0 {
		c.Kind = q.Kinds[n]
	}
	var names []string
	for _, s := range i.GrantableScopes(service) {
		names = append(names, s.Name)
	}
	c.Scopes = newScopes(names...)
	if IsKey(c.Kind) {
		c.Scopes = EveryScope(i.registry.Load().operator...)
		c.TokenID = noToken
	}
	c.text = "console user=" + c.UserName
	return c
}
