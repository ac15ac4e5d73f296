package grants

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// userCodeLetters leaves out vowels, so that no words appear, and every letter
// that is easily taken for another or for a digit (RFC 8628 section 6.1).
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"

// DeviceRequest starts a device flow.
type DeviceRequest struct {
	Service string
	// ClientID may be empty where the contract knows no client.
	ClientID string
	Scopes   []string
	// TTL is the life of both codes.
	TTL      time.Duration
	Interval time.Duration
	// Format is what the device code looks like.
	Format identity.Format
}

// DeviceStart is a started flow with the codes, which are shown once.
type DeviceStart struct {
	Grant                Grant
	DeviceCode, UserCode string
}

// maxUserCodeTries is ample: two live codes collide once in 25 billion.
const maxUserCodeTries = 5

// StartDevice makes a pending grant and its two codes.
func (g *Grants) StartDevice(ctx context.Context, r DeviceRequest) (DeviceStart, error) {
	var client identity.Client
	if r.ClientID != "" {
		var err error
		if client, err = g.identity.Client(ctx, r.ClientID); err != nil {
			return DeviceStart{}, err
		}
	}
	scopes, err := g.identity.RequestedScopes(ctx, client, r.Service, r.Scopes)
	if err != nil {
		return DeviceStart{}, err
	}
	for try := 1; ; try++ {
		start := DeviceStart{DeviceCode: r.Format.Make(g.ids), UserCode: g.userCode()}
		now := g.now()
		start.Grant = Grant{
			Kind: KindDevice, State: Pending, Service: r.Service, ClientID: r.ClientID,
			Scopes: scopes, Asked: distinct(r.Scopes),
			Interval: r.Interval, CreatedAt: now, ExpiresAt: now.Add(r.TTL), family: g.ids.Hex(32),
			codeHash: hashCode(start.DeviceCode), userHash: hashCode(start.UserCode),
		}
		err := g.db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			start.Grant.ID, err = insertGrant(ctx, tx, start.Grant)
			return err
		})
		if errors.Is(err, database.ErrUnique) && try < maxUserCodeTries {
			continue
		}
		return start, err
	}
}

// userCode is eight letters in two groups, 34 bits.
func (g *Grants) userCode() string {
	letters := g.ids.Text(userCodeLetters, 8)
	return letters[:4] + "-" + letters[4:]
}

// UserCode is the code that was typed as devices show it: capital letters, with a
// hyphen in the middle. False means that no device can show it.
func UserCode(typed string) (code string, ok bool) {
	letters := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToUpper(typed))
	if len(letters) != 8 || strings.Trim(letters, userCodeLetters) != "" {
		return "", false
	}
	return letters[:4] + "-" + letters[4:], true
}

// ByUserCode finds the pending grant that a user typed the code of. The code is
// case-sensitive. Pages that take codes from users bound the guesses.
func (g *Grants) ByUserCode(ctx context.Context, typed string) (Grant, error) {
	if len(typed) != 9 {
		return Grant{}, ErrUnknown
	}
	grant, err := grantByUserCode(ctx, g.db, hashCode(typed))
	if err != nil {
		return Grant{}, orUnknown(err)
	}
	return grant, grant.endedError(g.now())
}

// Poll is one question of a device.
type Poll struct {
	Service  string
	ClientID string
	Code     string
	// Style says how the client proved itself. Some clients try one style and
	// at once the other; the pair counts as one poll.
	Style string
}

// PollDevice redeems a device code: tokens once the user has approved, else one of
// the errors of this package. A decision is reported at once, even to a device that
// polls too soon. Polling writes nothing until there is a decision.
func (g *Grants) PollDevice(ctx context.Context, p Poll, issue Issue) (Tokens, error) {
	if !possibleCode(p.Code) {
		return Tokens{}, ErrUnknown
	}
	asked, err := g.codes.Get(ctx, g.db, sha256.Sum256([]byte(p.Code)))
	if err != nil {
		return Tokens{}, orUnknown(err)
	}
	if asked.kind != KindDevice || asked.service != p.Service || asked.client != p.ClientID {
		return Tokens{}, ErrUnknown
	}
	now := g.now()
	if err := asked.endedError(now); err != nil {
		g.polls.forget(asked.id)
		return Tokens{}, err
	}
	if asked.state == Pending {
		if g.polls.tooSoon(asked.id, asked.interval, p.Style, now) {
			return Tokens{}, ErrTooSoon
		}
		return Tokens{}, ErrPending
	}
	return g.claim(ctx, asked.id, issue)
}

// polled is what a poll has to know of a grant.
type polled struct {
	id       int64
	kind     Kind
	state    State
	reason   string
	service  string
	client   string
	interval time.Duration
	expires  time.Time
}

// endedError is that of the grant.
func (p polled) endedError(now time.Time) error {
	return Grant{State: p.state, reason: p.reason, ExpiresAt: p.expires}.endedError(now)
}

// Waiting lists device codes that no user has decided about, those that expire first
// first. The codes themselves are not known.
func (g *Grants) Waiting(ctx context.Context, limit int) ([]Grant, error) {
	return pendingDevices(ctx, g.db, g.now(), limit)
}
