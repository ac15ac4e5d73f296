package identity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/platform/database"
)

// Session is a browser in which a user signed in. The cookie's secret is not known,
// only its hash is kept.
type Session struct {
	ID     int64
	UserID int64
	// Address and Agent help users tell their browsers apart.
	Address   string
	Agent     string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// SessionRequest starts a session.
type SessionRequest struct {
	UserID         int64
	Address, Agent string
	TTL            time.Duration
	// By is whom CheckPassword found, where a password signs in: it must be theirs still.
	By User
	// Replaces is the secret that the browser held before. That session ends:
	// a secret from before the sign-in is worth nothing after it.
	Replaces string
}

// maxAgent bounds what browsers say about themselves.
const maxAgent = 200

// StartSession makes a session and returns its secret, which only the browser keeps.
func (i *Identity) StartSession(ctx context.Context, r SessionRequest) (Session, string, error) {
	secret := Format{}.Make(i.ids)
	hash, old := hashSecret(secret), hashSecret(r.Replaces)
	s := Session{
		UserID: r.UserID, Address: r.Address, Agent: plainText(r.Agent, maxAgent),
		CreatedAt: i.now(), ExpiresAt: i.sessionClock.Now().Add(r.TTL),
	}
	err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if old := r.By.password; old != "" {
			if n, err := updatePassword(ctx, tx, r.UserID, old, old); err != nil || n == 0 {
				return cmp.Or(err, ErrWrongPassword)
			}
		}
		if r.Replaces != "" {
			if err := deleteSessionByHash(ctx, tx, old[:]); err != nil {
				return err
			}
		}
		var err error
		s.ID, err = insertSession(ctx, tx, s, hash[:])
		return i.signedIn(ctx, tx, err, s)
	})
	if err != nil {
		return Session{}, "", err
	}
	return s, secret, nil
}

// SessionBySecret finds who is signed in, or fails with ErrUnknown, ErrExpired or ErrDisabled.
func (i *Identity) SessionBySecret(ctx context.Context, secret string) (Session, User, error) {
	if secret == "" || len(secret) > maxSecret {
		return Session{}, User{}, ErrUnknown
	}
	hash := hashSecret(secret)
	s, err := sessionByHash(ctx, i.db, hash[:])
	if err != nil {
		return Session{}, User{}, orUnknown(err)
	}
	if !i.sessionClock.Now().Before(s.ExpiresAt) {
		return Session{}, User{}, ErrExpired
	}
	u, err := userByID(ctx, i.db, s.UserID)
	switch {
	case err != nil:
		return Session{}, User{}, orUnknown(err)
	case u.Disabled:
		return Session{}, User{}, ErrDisabled
	}
	return s, u, nil
}

// Sessions lists the live sessions of a user, the newest first.
func (i *Identity) Sessions(ctx context.Context, userID int64) ([]Session, error) {
	return sessionsOf(ctx, i.db, userID, i.sessionClock.Now())
}

// EndSession ends one session of a user; ErrNotFound when it is not theirs.
func (i *Identity) EndSession(ctx context.Context, userID, id int64) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		n, err := deleteSession(ctx, tx, userID, id)
		if err == nil && n == 0 {
			return &NotFoundError{"session", strconv.FormatInt(id, 10)}
		}
		return i.trail.After(ctx, tx, err, audittrail.Act{Action: "session.end", Object: sessionName(id)})
	})
}

// EndSessions ends every session of a user but the one with the id.
func (i *Identity) EndSessions(ctx context.Context, userID, except int64) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		n, err := deleteSessions(ctx, tx, userID, except)
		if err != nil || n == 0 {
			return err
		}
		return i.trail.After(ctx, tx, nil, audittrail.Act{Action: "session.end-others", UserID: userID})
	})
}

// FormToken is what every form of a session carries. It is derived from the
// session's secret, so that another site, which cannot read the cookie, cannot
// know it, and nothing more has to be stored.
func FormToken(secret string) string {
	sum := sha256.Sum256([]byte("form of " + secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// CheckFormToken compares in constant time.
func CheckFormToken(secret, token string) error {
	if secret == "" || subtle.ConstantTimeCompare([]byte(FormToken(secret)), []byte(token)) != 1 {
		return ErrForm
	}
	return nil
}

// ErrForm means that a form was not made for the session it came with.
var ErrForm = errors.New("identity: form belongs to another session")

// plainText makes foreign text safe to keep and show: valid, without control
// characters, bounded.
func plainText(text string, maxBytes int) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == utf8.RuneError {
			return -1
		}
		return c
	}, text)
	if len(text) > maxBytes {
		text = strings.ToValidUTF8(text[:maxBytes], "")
	}
	return text
}
