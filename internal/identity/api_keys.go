package identity

import (
	"context"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Key is what is known about an API or application key. The secret is not.
type Key struct {
	ID      int64
	Service string
	Kind    Kind
	UserID  int64
	TeamID  int64
	Note    string
	// Scopes limit the key; none means all rights of its user.
	Scopes    []string
	CreatedAt time.Time
	// ExpiresAt is zero for keys that never expire.
	ExpiresAt  time.Time
	RevokedAt  time.Time
	LastUsedAt time.Time
}

// KeyOptions says what key to make.
type KeyOptions struct {
	Service string
	// Kind is KindAPI or KindApplication; empty means KindAPI.
	Kind   Kind
	UserID int64
	TeamID int64
	Note   string
	Scopes []string
	// Days the key is valid; zero means it never expires.
	Days int
	// Format overrides what the secret looks like.
	Format *Format
}

// IssueKey makes a key and returns its secret, which is never shown again.
func (i *Identity) IssueKey(ctx context.Context, o KeyOptions) (Key, string, error) {
	if o.Kind == "" {
		o.Kind = KindAPI
	}
	if !IsKey(o.Kind) {
		return Key{}, "", &InvalidError{"kind", "must be api or application"}
	}
	err := errors.Join(
		checkServices([]string{o.Service}, o.Note), checkDays(o.Days), i.checkServicesKnown(o.Service),
		i.mayIssue(false, o.Service),
	)
	if err != nil {
		return Key{}, "", err
	}
	scopes, err := i.expandAll(ctx, []string{o.Service}, o.Scopes, false)
	if err != nil {
		return Key{}, "", err
	}
	t := Token{
		Kind: o.Kind, Services: []string{o.Service}, Scopes: scopes, UserID: o.UserID, TeamID: o.TeamID, Note: o.Note,
	}
	var secret string
	err = i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		secret, err = i.insertKey(ctx, tx, &t, o.Days, o.Format)
		return i.trail.After(ctx, tx, err, t.credential().Act("issue"))
	})
	if err != nil {
		return Key{}, "", err
	}
	return t.key(), secret, nil
}

// KeyRenewal says how long the new key of ReplaceKey lives.
type KeyRenewal struct {
	// Days the new key is valid; zero means it never expires.
	Days   int
	Format *Format
	// Old is the secret of the key to replace and Grace how long it gives the same
	// new key again, to the same Request; zero means not at all.
	Old     string
	Grace   time.Duration
	Request string
}

// ReplaceKey makes a new key with the owner, team, note and scopes of the old
// one, which dies in the same transaction. Of any number of concurrent calls
// for one key exactly one makes a new one; the others get ErrKeyGone, or within
// the grace the same new key.
func (i *Identity) ReplaceKey(ctx context.Context, id int64, r KeyRenewal) (Key, string, error) {
	if err := checkDays(r.Days); err != nil {
		return Key{}, "", err
	}
	var t Token
	var secret string
	now := i.now()
	// The keyed transaction makes concurrent calls wait instead of failing and
	// trying again.
	key := "identity/key/" + strconv.FormatInt(id, 10)
	err := i.db.WriteKeyed(ctx, key, func(ctx context.Context, tx *database.Tx) error {
		old, user, err := revokeKey(ctx, tx, id, now)
		if errors.Is(err, database.ErrNotFound) {
			t, secret, err = i.replacingKeyIn(ctx, tx, id, r)
			return err
		}
		if err != nil {
			return err
		}
		tx.OnCommit(func() { i.forget([]digest{digest(old.hash)}) })
		t = Token{
			Kind: old.Kind, Services: old.Services, Scopes: old.Scopes, UserID: old.UserID, TeamID: old.TeamID,
			Note: old.Note, Family: old.Family,
		}
		secret, err = i.insertKey(ctx, tx, &t, r.Days, r.Format)
		made := t.credential()
		made.Replaced = id
		act := made.Act("replace")
		act.User = user
		if err := i.trail.After(ctx, tx, err, act); err != nil || r.Grace <= 0 {
			return err
		}
		return i.KeepReplacementIn(ctx, tx, r.Old, Replacement{
			TokenID: id, Request: r.Request, Secrets: []string{secret}, ExpiresAt: now.Add(r.Grace),
		})
	})
	if err != nil {
		return Key{}, "", err
	}
	return t.key(), secret, nil
}

// replacingKeyIn is the key that the same request made before in place of this one, which
// is no key that is alive.
func (i *Identity) replacingKeyIn(ctx context.Context, tx *database.Tx, id int64, r KeyRenewal) (Token, string, error) {
	old, err := credentialByID(ctx, tx, id)
	switch {
	case errors.Is(err, database.ErrNotFound):
		return Token{}, "", ErrKeyGone
	case err != nil:
		return Token{}, "", err
	case !IsKey(old.Kind):
		return Token{}, "", ErrKind
	}
	kept, err := i.ReplacementIn(ctx, tx, id, r.Old, r.Request)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrRevoked) {
		return Token{}, "", ErrKeyGone
	}
	if err != nil {
		return Token{}, "", err
	}
	t, err := i.TokenBySecretIn(ctx, tx, kept.Secrets[0])
	if err != nil || !t.Alive(i.now()) {
		return Token{}, "", errors.Join(ErrKeyGone, err)
	}
	return t, kept.Secrets[0], nil
}

// ReplacedKey is the caller that a replaced key of the service spoke for, while its
// replacement is kept; ErrRevoked afterwards. It may be told its replacement and
// nothing else.
func (i *Identity) ReplacedKey(ctx context.Context, service, secret string) (*Caller, error) {
	hash := hashSecret(secret)
	row, err := resolveRow(ctx, i.db, hash[:])
	if err != nil {
		return nil, orUnknown(err)
	}
	kept, err := replacementOf(ctx, i.db, row.token.ID)
	switch {
	case errors.Is(err, database.ErrNotFound):
		return nil, ErrRevoked
	case err != nil:
		return nil, err
	case row.disabled:
		return nil, ErrDisabled
	case !i.now().Before(kept.expiresAt):
		return nil, ErrRevoked
	}
	c := row.toCaller(i.registry.Load().operator)
	return c, Requirement{Service: service, Kinds: []Kind{KindAPI}}.Check(c)
}

// Key finds a key by id.
func (i *Identity) Key(ctx context.Context, id int64) (Key, error) {
	t, err := i.Token(ctx, id)
	if err == nil && !IsKey(t.Kind) {
		err = &NotFoundError{"key", strconv.FormatInt(id, 10)}
	}
	if err != nil {
		return Key{}, err
	}
	return t.key(), nil
}

// KeysOf lists a user's keys that are alive, the newest first.
func (i *Identity) KeysOf(ctx context.Context, userID int64) ([]Key, error) {
	all, err := credentialsOf(ctx, i.db, userID, i.now())
	var keys []Key
	for _, t := range all {
		if IsKey(t.Kind) {
			t.LastUsedAt = i.lastUsed.tokens.Latest(t.ID, t.LastUsedAt)
			keys = append(keys, t.key())
		}
	}
	return keys, err
}

func (i *Identity) insertKey(ctx context.Context, tx *database.Tx, t *Token, days int, format *Format) (string, error) {
	t.CreatedAt = i.now()
	if days > 0 {
		// Days are counted in UTC, so each is exactly 24 hours.
		t.ExpiresAt = t.CreatedAt.AddDate(0, 0, days)
	}
	f := i.registry.Load().keyFormat(t.Services[0], t.Kind)
	if format != nil {
		f = *format
	}
	secret := f.Make(i.ids)
	hash := hashSecret(secret)
	t.hash = hash[:]
	var err error
	t.ID, err = insertCredential(ctx, tx, *t)
	return secret, err
}

func (t Token) key() Key {
	return Key{
		ID: t.ID, Service: t.Services[0], Kind: t.Kind, UserID: t.UserID, TeamID: t.TeamID, Note: t.Note, Scopes: t.Scopes,
		CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, RevokedAt: t.RevokedAt, LastUsedAt: t.LastUsedAt,
	}
}

// MaxDays is the longest life of a key; the last day stays within the four-digit
// years that are stored.
const MaxDays = 365 * 1000

func checkDays(days int) error {
	if days < 0 || days > MaxDays {
		return &InvalidError{"days", "must be between 1 and " + strconv.Itoa(MaxDays) + ", or 0 for never"}
	}
	return nil
}
