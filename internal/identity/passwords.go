package identity

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"stoa.dev/stoa/internal/platform/database"
)

// Passwords is the cost of a password hash (RFC 9106) and how many may be
// computed at a time.
type Passwords struct {
	MemoryKiB uint32
	Passes    uint32
	Threads   uint8
	// Concurrent bounds the memory: Concurrent times MemoryKiB.
	Concurrent int
	// MinLength is asked of every new password; zero means the default.
	MinLength int
}

// DefaultPasswords costs 19 MiB and two passes a hash, two hashes at a time.
func DefaultPasswords() Passwords {
	return Passwords{MemoryKiB: 19 * 1024, Passes: 2, Threads: 1, Concurrent: 2, MinLength: 8}
}

const (
	saltLength   = 16
	hashLength   = 32
	maxPassword  = 1024
	argonVersion = argon2.Version
)

// passwordHasher computes hashes, a bounded number at a time.
type passwordHasher struct {
	cost  Passwords
	slots chan struct{}
	// decoy is verified when there is no such user, so that the answer takes
	// as long as for a wrong password.
	dummyHash string
}

func newPasswordHasher(cost Passwords) *passwordHasher {
	if cost.MemoryKiB == 0 {
		cost = DefaultPasswords()
	}
	cost.Threads, cost.Passes = max(1, cost.Threads), max(1, cost.Passes)
	if cost.MinLength == 0 {
		cost.MinLength = DefaultPasswords().MinLength
	}
	g := &passwordHasher{cost: cost, slots: make(chan struct{}, max(1, cost.Concurrent))}
	g.dummyHash = encodePassword(cost, make([]byte, saltLength), make([]byte, hashLength))
	return g
}

// checkNew is the one rule for a new password, whoever sets it and wherever.
func (g *passwordHasher) checkNew(password string) error {
	switch {
	case utf8.RuneCountInString(password) < g.cost.MinLength:
		return &InvalidError{"password", fmt.Sprintf("must have at least %d characters", g.cost.MinLength)}
	case len(password) > maxPassword:
		return &InvalidError{"password", fmt.Sprintf("must have at most %d bytes", maxPassword)}
	case !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl):
		return &InvalidError{"password", "must be plain text without control characters"}
	}
	return nil
}

// hashNew makes the PHC string of a password that is being set.
func (g *passwordHasher) hashNew(ctx context.Context, random io.Reader, password string) (string, error) {
	if err := g.checkNew(password); err != nil {
		return "", err
	}
	return g.hash(ctx, random, password)
}

// hash makes the PHC string of a password, an old one too.
func (g *passwordHasher) hash(ctx context.Context, random io.Reader, password string) (string, error) {
	if password == "" || len(password) > maxPassword {
		return "", &InvalidError{"password", fmt.Sprintf("must have 1 to %d bytes", maxPassword)}
	}
	salt := make([]byte, saltLength)
	if _, err := io.ReadFull(random, salt); err != nil {
		return "", err
	}
	sum, err := g.derive(ctx, g.cost, password, salt, hashLength)
	if err != nil {
		return "", err
	}
	return encodePassword(g.cost, salt, sum), nil
}

// verify reports whether the password fits the PHC string, and whether the
// string was made at another cost than today's.
func (g *passwordHasher) verify(ctx context.Context, phc, password string) (fits, stale bool, err error) {
	if len(password) > maxPassword {
		return false, false, nil
	}
	cost, salt, want, err := decodePassword(phc)
	if err != nil {
		return false, false, err
	}
	got, err := g.derive(ctx, cost, password, salt, len(want))
	if err != nil {
		return false, false, err
	}
	stale = cost.MemoryKiB != g.cost.MemoryKiB || cost.Passes != g.cost.Passes || cost.Threads != g.cost.Threads
	return subtle.ConstantTimeCompare(got, want) == 1, stale, nil
}

func (g *passwordHasher) derive(ctx context.Context, cost Passwords, password string, salt []byte, length int) ([]byte, error) {
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-g.slots }()
	return argon2.IDKey([]byte(password), salt, cost.Passes, cost.MemoryKiB, cost.Threads, uint32(length)), nil
}

func encodePassword(cost Passwords, salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argonVersion,
		cost.MemoryKiB, cost.Passes, cost.Threads, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

// errPasswordHash names no part of the hash.
var errPasswordHash = errors.New("identity: stored password hash is not argon2id in PHC form")

func decodePassword(phc string) (cost Passwords, salt, sum []byte, err error) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argonVersion) {
		return cost, nil, nil, errPasswordHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &cost.MemoryKiB, &cost.Passes, &cost.Threads); err != nil {
		return cost, nil, nil, errPasswordHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || sumErr != nil || len(sum) == 0 || cost.Passes == 0 || cost.Threads == 0 {
		return cost, nil, nil, errPasswordHash
	}
	return cost, salt, sum, nil
}

// CheckPassword finds the user who signs in. The errors are ErrBadPassword,
// ErrDisabled (only with the right password), or the database's.
func (i *Identity) CheckPassword(ctx context.Context, name, password string) (User, error) {
	u, hash, err := userWithPassword(ctx, i.db, name)
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return User{}, err
	}
	nobody := err != nil || hash == ""
	if nobody {
		hash = i.passwords.dummyHash
	}
	fits, stale, err := i.passwords.verify(ctx, hash, password)
	switch {
	case err != nil:
		return User{}, err
	case nobody || !fits:
		return User{}, ErrWrongPassword
	case u.Disabled:
		return User{}, ErrDisabled
	case stale:
		return u, i.rehash(ctx, u.ID, hash, password)
	}
	return u, nil
}

// rehash stores the same password at today's cost, unless it was changed in
// the meantime.
func (i *Identity) rehash(ctx context.Context, userID int64, old, password string) error {
	hash, err := i.passwords.hash(ctx, i.ids, password)
	if err != nil {
		return err
	}
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return replacePassword(ctx, tx, userID, old, hash)
	})
}

// SetPassword gives the user a new password, as an operator may. Every session
// of the user ends: whoever knew the old password may hold one.
func (i *Identity) SetPassword(ctx context.Context, userID int64, password string) error {
	hash, err := i.passwords.hashNew(ctx, i.ids, password)
	if err != nil {
		return err
	}
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := orNotChanged(updatePassword(ctx, tx, userID, hash))("user", userID); err != nil {
			return err
		}
		return deleteSessions(ctx, tx, userID, 0)
	})
}

// ChangePassword is how users change their own: the old one must be right.
func (i *Identity) ChangePassword(ctx context.Context, name, old, password string) error {
	if err := i.passwords.checkNew(password); err != nil {
		return err
	}
	u, err := i.CheckPassword(ctx, name, old)
	if err != nil {
		return err
	}
	return i.SetPassword(ctx, u.ID, password)
}

// NewPassword makes a password for somebody who did not choose one: 20
// characters, none of which looks like another.
func (i *Identity) NewPassword() string {
	return i.ids.Text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", 20)
}
