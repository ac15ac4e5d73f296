package grants

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/database"
)

// record puts a user's decision about an application in the audit trail.
func (g *Grants) record(ctx context.Context, tx *database.Tx, grant Grant) error {
	e := audit.Entry{
		Action: "grant.approve", Object: "application " + grant.ClientID,
		Detail: grant.Service + ": " + strings.Join(grant.Scopes, " "),
	}
	switch grant.State {
	case Denied:
		e.Action = "grant.deny"
	case Refused:
		e.Outcome, e.Detail = audit.Refused, e.Detail+"; an organization does not allow it"
	default: // approved
	}
	return audit.Record(ctx, tx, g.now(), e)
}

// recordRevoked records that a token of a grant, and all others of it, ended by request.
func (g *Grants) recordRevoked(ctx context.Context, tx *database.Tx, t identity.Token) error {
	e := audit.Entry{Action: "token.revoke", Object: "token " + strconv.FormatInt(t.ID, 10)}
	if t.ClientID != "" {
		e.Detail = "with all of its grant, of application " + t.ClientID
	}
	return audit.Record(ctx, tx, g.now(), e)
}
