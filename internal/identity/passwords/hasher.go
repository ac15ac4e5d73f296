package passwords

import (
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Options are the cost of a hash, how many may be computed at a time, and the rule
// for new passwords.
type Options struct {
	MemoryKiB uint32
	Passes    uint32
	Threads   uint8
	// Concurrent bounds the memory: Concurrent times MemoryKiB.
	Concurrent int
	// MinLength is asked of every new password; zero means the default.
	MinLength int
}

// Default costs 19 MiB and two passes a hash, two hashes at a time.
func Default() Options {
	return Options{MemoryKiB: 19 * 1024, Passes: 2, Threads: 1, Concurrent: 2, MinLength: 8}
}

const (
	saltLength = 16
	hashLength = 32
	maxBytes   = 1024
)

// Hasher computes hashes, a bounded number at a time.
type Hasher struct {
	options Options
	slots   chan struct{}
}

// New makes a hasher; options without a cost mean Default.
func New(o Options) *Hasher {
	if o.MemoryKiB == 0 {
		o = Default()
	}
	o.Threads, o.Passes = max(1, o.Threads), max(1, o.Passes)
	if o.MinLength == 0 {
		o.MinLength = Default().MinLength
	}
	return &Hasher{options: o, slots: make(chan struct{}, max(1, o.Concurrent))}
}

// RuleError says which rule a new password breaks.
type RuleError struct{ Reason string }

// Error names the rule.
func (e *RuleError) Error() string { return "password " + e.Reason }

// CheckNew is the one rule for every new password; the error is a *RuleError.
func (h *Hasher) CheckNew(password string) error {
	switch {
	case utf8.RuneCountInString(password) < h.options.MinLength:
		return &RuleError{fmt.Sprintf("must have at least %d characters", h.options.MinLength)}
	case len(password) > maxBytes:
		return &RuleError{fmt.Sprintf("must have at most %d bytes", maxBytes)}
	case !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl):
		return &RuleError{"must be plain text without control characters"}
	}
	return nil
}

// Hash makes the PHC string of a password. It does not ask for the rule of new ones:
// a password from before the rule is hashed anew at another cost.
func (h *Hasher) Hash(ctx context.Context, random io.Reader, password string) (string, error) {
	if password == "" || len(password) > maxBytes {
		return "", &RuleError{fmt.Sprintf("must have 1 to %d bytes", maxBytes)}
	}
	salt := make([]byte, saltLength)
	if _, err := io.ReadFull(random, salt); err != nil {
		return "", err
	}
	sum, err := h.derive(ctx, h.options, password, salt, hashLength)
	if err != nil {
		return "", err
	}
	return encode(h.options, salt, sum), nil
}

// Verify reports whether the password fits the PHC string, and whether the string
// was made at another cost than today's.
func (h *Hasher) Verify(ctx context.Context, phc, password string) (fits, stale bool, err error) {
	if len(password) > maxBytes {
		return false, false, nil
	}
	cost, salt, want, err := decode(phc)
	if err != nil {
		return false, false, err
	}
	got, err := h.derive(ctx, cost, password, salt, len(want))
	if err != nil {
		return false, false, err
	}
	today := h.options
	stale = cost.MemoryKiB != today.MemoryKiB || cost.Passes != today.Passes || cost.Threads != today.Threads
	return subtle.ConstantTimeCompare(got, want) == 1, stale, nil
}

// VerifyNothing takes as long as Verify. It is for names without a password, so that
// the time of the answer does not say that there is none.
func (h *Hasher) VerifyNothing(ctx context.Context, password string) error {
	_, _, err := h.Verify(ctx, encode(h.options, make([]byte, saltLength), make([]byte, hashLength)), password)
	return err
}

func (h *Hasher) derive(
	ctx context.Context, cost Options, password string, salt []byte, length int,
) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(password), salt, cost.Passes, cost.MemoryKiB, cost.Threads, uint32(length)), nil
}
