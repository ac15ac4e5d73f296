package identity

import (
	"context"
	"errors"
	"sync"
	"time"

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
	Format Format
}

// DeviceStart is a started flow with the codes, which are shown once.
type DeviceStart struct {
	Grant                Grant
	DeviceCode, UserCode string
}

// maxUserCodeTries is ample: two live codes collide once in 25 billion.
const maxUserCodeTries = 5

// StartDevice makes a pending grant and its two codes.
func (i *Identity) StartDevice(ctx context.Context, r DeviceRequest) (DeviceStart, error) {
	var client Client
	if r.ClientID != "" {
		var err error
		if client, err = i.Client(ctx, r.ClientID); err != nil {
			return DeviceStart{}, err
		}
	}
	scopes, err := i.askedScopes(client, r.Service, r.Scopes)
	if err != nil {
		return DeviceStart{}, err
	}
	for try := 1; ; try++ {
		start := DeviceStart{DeviceCode: r.Format.Make(i.ids), UserCode: i.userCode()}
		now := i.now()
		code, user := hashSecret(start.DeviceCode), hashSecret(start.UserCode)
		start.Grant = Grant{
			Kind: GrantDevice, State: GrantPending, Service: r.Service, ClientID: r.ClientID, Scopes: scopes,
			Interval: r.Interval, CreatedAt: now, ExpiresAt: now.Add(r.TTL), family: i.ids.Hex(32),
			codeHash: code[:], userHash: user[:],
		}
		err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
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
func (i *Identity) userCode() string {
	letters := i.ids.Text(userCodeLetters, 8)
	return letters[:4] + "-" + letters[4:]
}

// GrantByUserCode finds the pending grant that a user typed the code of. The
// code is case-sensitive. Whoever takes codes from people bounds their guesses.
func (i *Identity) GrantByUserCode(ctx context.Context, typed string) (Grant, error) {
	if len(typed) != 9 {
		return Grant{}, ErrGrantUnknown
	}
	hash := hashSecret(typed)
	g, err := grantByUserCode(ctx, i.db, hash[:])
	if err != nil {
		return Grant{}, unknownGrant(err)
	}
	return g, g.endedError(i.now())
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

// PollDevice redeems a device code: tokens once the user has approved, else
// one of the grant errors. A decision is told at once, even to a device that
// polls too soon. Polling writes nothing until there is a decision.
func (i *Identity) PollDevice(ctx context.Context, p Poll, issue Issue) (Tokens, error) {
	if p.Code == "" || len(p.Code) > maxSecret {
		return Tokens{}, ErrGrantUnknown
	}
	hash := hashSecret(p.Code)
	g, err := grantByCode(ctx, i.db, hash[:])
	if err != nil {
		return Tokens{}, unknownGrant(err)
	}
	if g.Kind != GrantDevice || g.Service != p.Service || g.ClientID != p.ClientID {
		return Tokens{}, ErrGrantUnknown
	}
	now := i.now()
	if err := g.endedError(now); err != nil {
		i.polls.forget(g.ID)
		return Tokens{}, err
	}
	if g.State == GrantPending {
		if i.polls.tooSoon(g, p.Style, now) {
			return Tokens{}, ErrGrantTooSoon
		}
		return Tokens{}, ErrGrantPending
	}
	return i.claim(ctx, g.ID, issue)
}

// pollTimes remembers when each pending device was last heard. It lives in memory
// because polling must not write: a restart forgives one early poll, and of
// several processes each judges the polls it sees.
type pollTimes struct {
	mu   sync.Mutex
	last map[int64]pollState
}

// pollState is what is known of one device's polls.
type pollState struct {
	// counted is the last poll that was not too soon.
	counted time.Time
	// at, style and tooSoon describe the last poll of all; paired tells that
	// its twin has come.
	at      time.Time
	style   string
	tooSoon bool
	paired  bool
}

const (
	// pairWindow is how soon the second half of a pair of polls follows the first.
	pairWindow = time.Second
	// intervalTolerance is the part of the interval that a poll may come early, because
	// networks and timers are not exact.
	intervalTolerance = 5
	// maxPolls bounds the memory; the map is emptied beyond it.
	maxPolls = 100_000
)

// tooSoon judges the poll against the last counted one. A poll that is too
// soon is not counted, so a device that goes on at the right pace is served.
func (p *pollTimes) tooSoon(g Grant, style string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || len(p.last) >= maxPolls {
		p.last = map[int64]pollState{}
	}
	h, known := p.last[g.ID]
	if known && !h.paired && h.style != style && now.Sub(h.at).Abs() < pairWindow {
		h.paired = true
		p.last[g.ID] = h
		return h.tooSoon
	}
	gap := now.Sub(h.counted)
	early := known && gap >= 0 && gap < g.Interval-g.Interval/intervalTolerance
	if !early {
		h.counted = now
	}
	h.at, h.style, h.tooSoon, h.paired = now, style, early, false
	p.last[g.ID] = h
	return early
}

// forget drops a device that polls no more.
func (p *pollTimes) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, id)
}
