package identity

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/refusedcaller"
)

// Bot is the account of an application, as the service names it that has accounts.
type Bot struct {
	ID   int64
	Name string
}

// Caller is who a credential speaks for. Callers are shared between requests
// and never change; treat every field as read-only.
type Caller struct {
	// UserID and UserName are the user or service account; zero and empty
	// when an application acts on its own (installation tokens, client
	// credentials).
	UserID   int64
	UserName string
	// Admin is true for administrators of the whole installation.
	Admin bool
	// ServiceAccount is true when the user is the principal of a service client.
	ServiceAccount bool

	// ClientID is the application that was given the token, empty for
	// credentials made by hand.
	ClientID   string
	ClientType ClientType
	// Bot is the account that an application has when it acts on its own.
	Bot Bot
	// ClientEnterprise is true when the application is owned by an enterprise
	// organization, or approved by one that the user is a member of.
	ClientEnterprise bool

	// Org is the organization an installation token was issued for.
	OrgID         int64
	Org           string
	OrgEnterprise bool
	// AccountID is the user on whose account an app is installed, where it is no
	// organization's.
	AccountID int64
	// Team is set on team access tokens and on keys of a team.
	TeamID int64
	Team   string
	// Repo is OWNER/NAME for project and workflow tokens.
	Repo string

	// TokenID is the row of the token or key, zero for client credentials.
	TokenID int64
	Kind    Kind
	// Services the credential is good for; "*" alone means all.
	Services []string
	Scopes   Scopes
	Note     string
	// Family ties an access token to its refresh token.
	Family    string
	CreatedAt time.Time
	// ExpiresAt is zero for credentials that never expire.
	ExpiresAt time.Time

	// ApplicationKeyID is set by KeyPair authentication: the second key.
	ApplicationKeyID int64

	limitKey string
	text     string // what String says, where it was made ahead
}

var _ route.Caller = (*Caller)(nil)

// HasScope reports whether the caller may do what the scope names. The name may
// be short or written in full, <scope base>/auth/NAME.
func (c *Caller) HasScope(scope string) bool { return c.Scopes.Has(scope) }

// LimitKey says whose budget a request uses: the repository's for workflow
// tokens, else the user's whatever token is used, else the installation's,
// else the application's.
func (c *Caller) LimitKey() string { return c.limitKey }

// String describes the caller for the log. It holds no secret.
func (c *Caller) String() string {
	if c.text != "" {
		return c.text
	}
	var b strings.Builder
	b.WriteString(string(c.Kind))
	for _, part := range [...]struct{ name, value string }{
		{" user=", c.UserName},
		{" client=", c.ClientID},
		{" org=", c.Org},
		{" team=", c.Team},
		{" repo=", c.Repo},
	} {
		if part.value != "" {
			b.WriteString(part.name)
			b.WriteString(part.value)
		}
	}
	return b.String()
}

// refused says in the log whose credential it is that err refuses at the service.
func (c *Caller) refused(err error, service string) error {
	but := ""
	switch {
	case errors.Is(err, ErrService):
		but = "not good for " + service
	case errors.Is(err, ErrKind):
		but = "of a kind that is not taken here: " + string(c.Kind)
	case errors.Is(err, errOtherOwner):
		but = "the other key is of another user"
	case errors.Is(err, ErrDisabled):
		but = "its user is disabled"
	}
	return &refusedcaller.Refusal{
		Err: err, Caller: c.String(), But: but,
		Credential: fmt.Sprintf("token %d of %s", c.TokenID, cmp.Or(c.UserName, c.Org, c.Repo, c.ClientID)),
	}
}

// For reports whether the credential is good for the service.
func (c *Caller) For(service string) bool { return forService(c.Services, service) }

// From is the caller of a request, nil when the request is anonymous.
func From(r *route.Request) *Caller {
	c, _ := r.Caller.(*Caller) // nil when the request is anonymous
	return c
}

func forService(services []string, service string) bool {
	for _, s := range services {
		if s == service || s == AllServices {
			return true
		}
	}
	return false
}
