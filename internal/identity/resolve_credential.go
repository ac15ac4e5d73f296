package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// maxSecret bounds what is hashed; no secret made here comes near it.
const maxSecret = 512

// digest is the SHA-256 of a secret, the only form in which it is kept.
// Secrets have at least 128 bits of entropy, so no salt is needed.
type digest = [sha256.Size]byte

func hashSecret(secret string) digest {
	// A secret of ordinary length is copied to the stack, so that hashing it does
	// not allocate: this runs on every request.
	var short [96]byte
	if len(secret) <= len(short) {
		return sha256.Sum256(short[:copy(short[:], secret)])
	}
	return sha256.Sum256([]byte(secret))
}

// lookup finds the live credential behind the secret.
func (i *Identity) lookup(ctx context.Context, secret string) (*cachedCaller, error) {
	if secret == "" || len(secret) > maxSecret {
		return nil, ErrUnknown
	}
	hash := hashSecret(secret)
	now := i.clock.Now()
	e := i.cache.Get(hash)
	if e == nil {
		generation := i.cache.Generation()
		var err error
		if e, err = i.load(ctx, hash, now); err != nil {
			return nil, err
		}
		i.cache.Put(hash, e, generation)
	} else if e.expired(now) {
		i.cache.Forget(hash)
		return nil, e.caller.refused(ErrExpired, "")
	}
	return e, nil
}

// load reads the credential and everything about it in one statement.
func (i *Identity) load(ctx context.Context, hash digest, now time.Time) (*cachedCaller, error) {
	row, err := resolveRow(ctx, i.db, hash[:])
	if err != nil {
		return nil, orUnknown(err)
	}
	if subtle.ConstantTimeCompare(row.token.hash, hash[:]) != 1 {
		return nil, ErrUnknown
	}
	e := &cachedCaller{caller: row.toCaller(i.registry.Load().operator), expiresAt: micros(row.token.ExpiresAt)}
	switch {
	case !row.token.RevokedAt.IsZero():
		return nil, e.caller.refused(ErrRevoked, "")
	case e.expired(now):
		return nil, e.caller.refused(ErrExpired, "")
	case row.disabled:
		return nil, e.caller.refused(ErrDisabled, "")
	}
	if row.token.Kind == KindInstallation && i.bots != nil {
		e.caller.Bot, err = i.bots(ctx, row.token.ClientID)
	}
	return e, err
}

// NameBots sets who knows the accounts of applications. It is called before the first
// request.
func (i *Identity) NameBots(of func(ctx context.Context, clientID string) (Bot, error)) { i.bots = of }

// resolveClient finds the client that proves itself with its id and secret,
// as a caller without a user.
func (i *Identity) resolveClient(ctx context.Context, id, secret string) (*Caller, error) {
	c, err := i.CheckClient(ctx, id, secret)
	if err != nil {
		return nil, err
	}
	return i.clientCaller(ctx, c, KindClient)
}

// AppCaller is the caller behind a proof of an app's private key, which a service has
// checked. It speaks for the app alone, and for no account that it is installed on.
func (i *Identity) AppCaller(ctx context.Context, clientID string) (*Caller, error) {
	c, err := i.clientByID(ctx, clientID)
	if err != nil {
		return nil, orUnknown(err)
	}
	return i.clientCaller(ctx, c, KindApp)
}

func (i *Identity) clientCaller(ctx context.Context, c Client, kind Kind) (*Caller, error) {
	caller := &Caller{
		ClientID: c.ID, ClientType: c.Type, Kind: kind, Services: []string{AllServices},
		Scopes: newScopes(), CreatedAt: c.CreatedAt, limitKey: "client:" + c.ID,
	}
	if c.OrgID != 0 {
		o, err := orgByID(ctx, i.db, c.OrgID)
		if err != nil {
			return nil, err
		}
		caller.OrgID, caller.Org, caller.OrgEnterprise, caller.ClientEnterprise = o.ID, o.Name, o.Enterprise, o.Enterprise
	}
	return caller, nil
}

// resolvePair finds who an API key speaks for and, when an application key is
// given too, that both belong to the same user.
func (i *Identity) resolvePair(ctx context.Context, service, apiKey, applicationKey string) (*Caller, error) {
	c, err := i.Verify(ctx, apiKey, Requirement{Service: service, Kinds: []Kind{KindAPI}})
	if err != nil || applicationKey == "" {
		return c, err
	}
	app, err := i.Verify(ctx, applicationKey, Requirement{Service: service, Kinds: []Kind{KindApplication}})
	if err != nil {
		return nil, err
	}
	if app.UserID != c.UserID {
		return nil, c.refused(errOtherOwner, service)
	}
	both := *c
	both.ApplicationKeyID, both.Scopes = app.TokenID, app.Scopes
	return &both, nil
}

// orUnknown says ErrUnknown for "no row" and for no error at all.
func orUnknown(err error) error {
	if err == nil || errors.Is(err, database.ErrNotFound) {
		return ErrUnknown
	}
	return err
}

// resolved is a credential with the facts about all that it names.
type resolved struct {
	token            Token
	userName         string
	admin            bool
	disabled         bool
	serviceAccount   bool
	clientType       ClientType
	clientEnterprise bool
	org              string
	orgEnterprise    bool
	team             string
}

// toCaller leaves out the scopes that only the operator gives, unless it was the
// operator who issued the credential.
func (r resolved) toCaller(operatorScopes []string) *Caller {
	t := r.token
	c := &Caller{
		UserID: t.UserID, UserName: r.userName, Admin: r.admin, ServiceAccount: r.serviceAccount,
		ClientID: t.ClientID, ClientType: r.clientType, ClientEnterprise: r.clientEnterprise,
		OrgID: t.OrgID, Org: r.org, OrgEnterprise: r.orgEnterprise, AccountID: t.AccountID,
		TeamID: t.TeamID, Team: r.team, Repo: t.Repo, TokenID: t.ID, Kind: t.Kind, Services: t.Services,
		Note: t.Note, Family: t.Family, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt,
	}
	switch {
	case len(t.Scopes) == 0 && IsKey(t.Kind):
		c.Scopes = EveryScope(operatorScopes...)
	case t.operator:
		c.Scopes = newScopes(t.Scopes...)
	default:
		operators := func(s string) bool { return slices.Contains(operatorScopes, s) }
		c.Scopes = newScopes(slices.DeleteFunc(t.Scopes, operators)...)
	}
	switch {
	case t.Kind == KindWorkflow:
		c.limitKey = "repo:" + Fold(t.Repo)
	case t.UserID != 0:
		c.limitKey = "user:" + strconv.FormatInt(t.UserID, 10)
	case t.OrgID != 0:
		c.limitKey = "installation:" + t.ClientID + ":" + strconv.FormatInt(t.OrgID, 10)
	case t.AccountID != 0:
		c.limitKey = "installation:" + t.ClientID + ":user:" + strconv.FormatInt(t.AccountID, 10)
	default:
		c.limitKey = "client:" + t.ClientID
	}
	c.text = c.String() // once for all requests that come with this credential
	return c
}
