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
	scopes, err := i.expandAll([]string{AllServices}, r.Scopes)
	if err != nil {
		return DeviceStart{}, err
	}
	for try := 1; ; try++ {
		start := DeviceStart{DeviceCode: r.Format.make(i.ids), UserCode: i.userCode()}
		now := i.now()
		code, user := hashSecret(start.DeviceCode), hashSecret(start.UserCode)
		start.Grant = Grant{
			Kind: GrantDevice, State: GrantPending, Service: r.Service, ClientID: r.ClientID, Scopes: scopes,
			Interval: r.Interval, CreatedAt: now, ExpiresAt: now.Add(r.TTL), family: i.ids.Hex(32),
			codeHash: code[:], userHash: user[:],
		}
		err := i.db.Write(ctx, func(tx *database.Tx) (err error) {
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
	return g, g.ended(i.now())
}

// PollDevice redeems a device code: tokens once the user has approved, else
// one of the grant errors. A decision is told at once, even to a device that
// polls too soon. Polling writes nothing until there is a decision.
func (i *Identity) PollDevice(ctx context.Context, service, clientID, code string, issue Issue) (Tokens, error) {
	if code == "" || len(code) > maxSecret {
		return Tokens{}, ErrGrantUnknown
	}
	hash := hashSecret(code)
	g, err := grantByCode(ctx, i.db, hash[:])
	if err != nil {
		return Tokens{}, unknownGrant(err)
	}
	if g.Kind != GrantDevice || g.Service != service || g.ClientID != clientID {
		return Tokens{}, ErrGrantUnknown
	}
	now := i.now()
	if err := g.ended(now); err != nil {
		return Tokens{}, err
	}
	if g.State == GrantPending {
		if i.polls.tooSoon(g, now) {
			return Tokens{}, ErrGrantTooSoon
		}
		return Tokens{}, ErrGrantPending
	}
	return i.claim(ctx, g.ID, issue)
}

// polls remembers when each pending device was last heard. It lives in memory
// because polling must not write: a restart forgives one early poll, and of
// several processes each judges the polls it sees.
type polls struct {
	mu   sync.Mutex
	last map[int64]time.Time
}

const (
	// twin is how close together the two halves of a client's try come that
	// sends its credentials in both styles at once; they count as one poll.
	twin = 100 * time.Millisecond
	// jitter is the part of the interval that a poll may come early, because
	// networks and timers are not exact.
	jitter = 5
	// maxPolls bounds the memory; the map is emptied beyond it.
	maxPolls = 100_000
)

// tooSoon judges the poll against the last counted one. A poll that is too
// soon is not counted, so a device that goes on at the right pace is served.
func (p *polls) tooSoon(g Grant, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, known := p.last[g.ID]
	gap := now.Sub(last)
	if known && gap >= 0 && gap < twin {
		return false
	}
	if known && gap >= 0 && gap < g.Interval-g.Interval/jitter {
		return true
	}
	if p.last == nil || len(p.last) >= maxPolls {
		p.last = map[int64]time.Time{}
	}
	p.last[g.ID] = now
	return false
}

// forget drops a device that polls no more.
func (p *polls) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, id)
}
