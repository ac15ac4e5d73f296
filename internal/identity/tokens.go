package identity

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

// Kind is the sort of credential.
type Kind = module.CredentialKind

// The kinds of tokens and keys.
const (
	KindAccess       Kind = "access"
	KindRefresh      Kind = "refresh"
	KindPersonal     Kind = "personal"
	KindProject      Kind = "project"
	KindInstallation Kind = "installation"
	KindWorkflow     Kind = "workflow"
	KindAPI          Kind = "api"
	KindApplication  Kind = "application"
	// KindClient is a client that proves itself with its id and secret.
	KindClient Kind = "client"
	// KindApp is an app that proves itself with its private key.
	KindApp Kind = "app"
)

// IsKey reports whether credentials of the kind are keys.
func IsKey(k Kind) bool { return k == KindAPI || k == KindApplication }

// AllServices as a service means every one.
const AllServices = "*"

// Token is what is known about an issued token. The secret is not.
type Token struct {
	ID       int64
	Kind     Kind
	Services []string
	// Scopes are names as the contracts print them, without the scope base.
	Scopes []string
	// Asked are the scopes as the application wrote them; none for tokens that
	// were not asked for.
	Asked    []string
	UserID   int64
	ClientID string
	OrgID    int64
	// AccountID is the user on whose account the app of an installation token is
	// installed, where it is no organization's.
	AccountID int64
	// TeamID makes an access token a team access token.
	TeamID int64
	Repo   string
	Note   string
	// Family ties tokens that came from one grant: they are revoked together.
	Family     string
	CreatedAt  time.Time
	ExpiresAt  time.Time
	RevokedAt  time.Time
	LastUsedAt time.Time

	// operator is set on tokens that were issued on the command line.
	operator bool
	hash     []byte
}

// For reports whether the token is good for the service.
func (t Token) For(service string) bool { return forService(t.Services, service) }

// Alive reports whether the token is good at the time.
func (t Token) Alive(now time.Time) bool {
	return t.RevokedAt.IsZero() && (t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt))
}

// IssueOptions says what token to make.
type IssueOptions struct {
	Kind Kind
	// Services the token is good for; AllServices alone means every one.
	Services []string
	// Scopes may be written short, in full or in the dialect's spelling. None
	// given means none granted; AllScopes lists what could be.
	Scopes []string
	// Asked is how the application wrote them, for answers.
	Asked []string
	// UserID is who the token speaks for. It may be left out for clients that
	// act for themselves: a service client's principal is filled in.
	UserID   int64
	ClientID string
	OrgID    int64
	// AccountID is the user on whose account an app is installed.
	AccountID int64
	TeamID    int64
	Repo      string
	Note      string
	Family    string
	// TTL is the life of the token, zero means it never expires.
	TTL time.Duration
	// Format overrides what the secret looks like.
	Format *Format
	// Operator allows the scopes that only the operator gives. The command
	// line sets it, and nothing that a request can reach.
	Operator bool
}

// IssueToken makes a token and returns its secret, which is never shown again.
func (i *Identity) IssueToken(ctx context.Context, o IssueOptions) (Token, string, error) {
	var t Token
	var secret string
	err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		t, secret, err = i.IssueTokenIn(ctx, tx, o)
		return err
	})
	if err != nil {
		return Token{}, "", err
	}
	return t, secret, nil
}

// IssueTokenIn is IssueToken inside the caller's transaction.
func (i *Identity) IssueTokenIn(ctx context.Context, tx *database.Tx, o IssueOptions) (Token, string, error) {
	err := errors.Join(o.check(), i.checkServicesKnown(o.Services...), i.mayIssue(o.Operator, o.Services...))
	if err != nil {
		return Token{}, "", err
	}
	scopes, err := i.expandAll(ctx, o.Services, o.Scopes, o.Operator)
	if err != nil {
		return Token{}, "", err
	}
	t := Token{
		Kind: o.Kind, Services: slices.Clone(o.Services), Scopes: scopes, Asked: slices.Clone(o.Asked),
		UserID: o.UserID, ClientID: o.ClientID, OrgID: o.OrgID, AccountID: o.AccountID, TeamID: o.TeamID, Repo: o.Repo,
		Note: o.Note, Family: o.Family, operator: o.Operator, CreatedAt: i.now(),
	}
	if o.TTL > 0 {
		t.ExpiresAt = t.CreatedAt.Add(o.TTL)
	}
	if err := t.fillFromClient(ctx, tx); err != nil {
		return Token{}, "", err
	}
	format := i.tokenFormat(o.Services, o.Kind)
	if o.Format != nil {
		format = *o.Format
	}
	secret := format.Make(i.ids)
	hash := hashSecret(secret)
	t.hash = hash[:]
	if t.ID, err = insertCredential(ctx, tx, t); err != nil || t.Kind != KindPersonal && t.Kind != KindProject {
		return t, secret, err
	}
	return t, secret, i.trail.After(ctx, tx, nil, t.credential().Act("issue"))
}

// fillFromClient gives a service account its principal and an installation
// the organization of its app, unless the caller chose them.
func (t *Token) fillFromClient(ctx context.Context, q database.Querier) error {
	if t.ClientID == "" {
		return nil
	}
	c, err := orNotFound(clientByID(ctx, q, t.ClientID))("client", t.ClientID)
	if err != nil {
		return err
	}
	if t.UserID == 0 {
		t.UserID = c.PrincipalID
	}
	if t.Kind != KindInstallation {
		if t.UserID == 0 {
			return &InvalidError{"user", "is needed: this client does not act for itself"}
		}
		return nil
	}
	if c.Type != ClientApp {
		return &InvalidError{"client", "of an installation token must be of type app"}
	}
	if t.OrgID == 0 && t.AccountID == 0 {
		t.OrgID = c.OrgID
	}
	if t.OrgID == 0 && t.AccountID == 0 {
		return &InvalidError{"client", "of an installation token needs an organization"}
	}
	// An installation acts for itself, never for the user who made it.
	t.UserID = 0
	return nil
}

func (o IssueOptions) check() error {
	switch o.Kind {
	case KindAccess, KindRefresh, KindPersonal:
	case KindProject, KindWorkflow:
		if err := checkRepo(o.Repo); err != nil {
			return err
		}
	case KindInstallation:
		if o.ClientID == "" {
			return &InvalidError{"client", "is needed for an installation token"}
		}
	default:
		return &InvalidError{"kind", quoted(string(o.Kind)) + " is not a kind of token"}
	}
	if o.AccountID != 0 && o.Kind != KindInstallation {
		return &InvalidError{"account", "is of installation tokens only"}
	}
	if o.UserID == 0 && o.ClientID == "" && o.Kind != KindWorkflow {
		return &InvalidError{"user", "is needed"}
	}
	return checkServices(o.Services, o.Note)
}

// mayIssue refuses credentials of services that are the operator's alone.
func (i *Identity) mayIssue(operator bool, services ...string) error {
	for _, s := range services {
		if !operator && i.OperatorOnly(s) {
			return &InvalidError{"service", quoted(s) + " takes tokens of the operator only, made with stoa token issue"}
		}
	}
	return nil
}

// checkServices guards the list form in which services are stored.
func checkServices(services []string, note string) error {
	if len(services) == 0 {
		return &InvalidError{"service", "is needed"}
	}
	for _, s := range services {
		if s == "" || strings.ContainsAny(s, " \t\r\n") {
			return &InvalidError{"service", "must be one word"}
		}
	}
	return checkText("note", note, 1000)
}

// Token finds a token or key by id.
func (i *Identity) Token(ctx context.Context, id int64) (Token, error) {
	t, err := credentialByID(ctx, i.db, id)
	t.LastUsedAt = i.lastUsed.tokens.Latest(id, t.LastUsedAt)
	return orNotFound(t, err)("token", strconv.FormatInt(id, 10))
}

// TokensOf lists a user's tokens that are alive, the newest first, keys and
// refresh tokens left out.
func (i *Identity) TokensOf(ctx context.Context, userID int64) ([]Token, error) {
	all, err := credentialsOf(ctx, i.db, userID, i.now())
	kept := all[:0]
	for _, t := range all {
		if !IsKey(t.Kind) && t.Kind != KindRefresh {
			t.LastUsedAt = i.lastUsed.tokens.Latest(t.ID, t.LastUsedAt)
			kept = append(kept, t)
		}
	}
	return kept, err
}

// CredentialsBefore is a page of what users have of some kinds and is alive, the newest
// first, from before an id.
func (i *Identity) CredentialsBefore(ctx context.Context, kinds []Kind, id int64, limit int) ([]Token, error) {
	return credentialsBefore(ctx, i.db, kinds, id, limit, i.now())
}

// RevokeToken ends a token or key with every other of its grant, and with the keys that replaced it, all or none.
// Ending one twice is no error.
func (i *Identity) RevokeToken(ctx context.Context, id int64) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		t, err := orNotFound(credentialByID(ctx, tx, id))("token", strconv.FormatInt(id, 10))
		if err == nil {
			err = i.RevokeTokenByHandIn(ctx, tx, id)
		}
		if err != nil {
			return err
		}
		others, err := revokeFamily(ctx, tx, t.Family, i.now())
		err = i.forgetOnCommit(tx)(others, err)
		if t.RevokedAt.IsZero() || len(others) == 0 {
			return err
		}
		return i.trail.After(ctx, tx, err, t.credential().Act("revoke")) // it had ended, and what came of it had not
	})
}

// RevokeTokenByHandIn is RevokeTokenIn for a token or key that was asked to be ended
// itself: it is on record.
func (i *Identity) RevokeTokenByHandIn(ctx context.Context, tx *database.Tx, id int64) error {
	ended, err := i.RevokeTokenIn(ctx, tx, id)
	if err != nil || !ended {
		return err
	}
	t, err := credentialByID(ctx, tx, id)
	return i.trail.After(ctx, tx, err, t.credential().Act("revoke"))
}

// RevokeTokenIn is RevokeToken inside the caller's transaction. It reports whether
// the token was not revoked before.
func (i *Identity) RevokeTokenIn(ctx context.Context, tx *database.Tx, id int64) (bool, error) {
	hashes, err := revokeByID(ctx, tx, id, i.now())
	return len(hashes) > 0, i.forgetOnCommit(tx)(hashes, err)
}

// UseTokenIn notes the use of a token inside the caller's transaction, which keeps
// others from revoking it until the end. It reports whether the token is not revoked.
func (i *Identity) UseTokenIn(ctx context.Context, tx *database.Tx, id int64) (bool, error) {
	n, err := useCredential(ctx, tx, id, i.now())
	return n > 0, err
}

// TokenBySecretIn finds the token or key with the secret, dead ones too, inside the
// caller's transaction; ErrUnknown when there is none.
func (i *Identity) TokenBySecretIn(ctx context.Context, tx *database.Tx, secret string) (Token, error) {
	hash := hashSecret(secret)
	t, err := credentialByHash(ctx, tx, hash[:])
	if err != nil {
		return Token{}, orUnknown(err)
	}
	return t, nil
}

// RevokeSecret ends the token or key with the secret; ErrUnknown when it is
// not one of the service.
func (i *Identity) RevokeSecret(ctx context.Context, service, secret string) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		t, err := i.TokenBySecretIn(ctx, tx, secret)
		if err == nil && !t.For(service) {
			err = ErrUnknown
		}
		if err == nil {
			err = i.RevokeTokenByHandIn(ctx, tx, t.ID)
		}
		return err
	})
}

// RevokeFamilyIn ends every token of a grant inside the caller's transaction.
func (i *Identity) RevokeFamilyIn(ctx context.Context, tx *database.Tx, family string) error {
	return i.forgetOnCommit(tx)(revokeFamily(ctx, tx, family, i.now()))
}

// KeepNewestIn deletes all access tokens of a grant but the newest, so many, inside the caller's transaction.
func (i *Identity) KeepNewestIn(ctx context.Context, tx *database.Tx, family string, keep int) error {
	return i.forgetOnCommit(tx)(deleteOldAccess(ctx, tx, family, keep))
}

// RevokeInstallationIn ends the tokens of an app on an organization, or on the account
// of a user, inside the caller's transaction.
func (i *Identity) RevokeInstallationIn(
	ctx context.Context, tx *database.Tx, clientID string, orgID, accountID int64,
) error {
	return i.forgetOnCommit(tx)(revokeInstallation(ctx, tx, clientID, orgID, accountID, i.now()))
}
