package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Replacement is what was made in place of a credential. It is kept for a while so
// that an answer which got lost can be given again.
type Replacement struct {
	// TokenID is the credential that was replaced.
	TokenID int64
	// Request tells the request that replaced it from others: only the same one is
	// answered again. It is stored as a hash.
	Request string
	// Secrets are those of the new credentials, in the caller's order.
	Secrets   []string
	ExpiresAt time.Time
}

// KeepReplacementIn keeps a replacement inside the caller's transaction. The old
// secret and the root key together open it: neither the database nor the database
// with its root key gives the new secrets away.
func (i *Identity) KeepReplacementIn(ctx context.Context, tx *database.Tx, oldSecret string, r Replacement) error {
	if i.o.Seal == nil {
		return errNoSeal
	}
	plain, err := json.Marshal(r.Secrets)
	if err != nil {
		return err
	}
	request := sha256.Sum256([]byte(r.Request))
	sealed := i.o.Seal.For(replacementPurpose+oldSecret).Seal(plain, replacementPlace(r.TokenID))
	return insertReplacement(ctx, tx, r, request[:], sealed)
}

// ReplacementIn finds what the same request made in place of the credential, inside
// the caller's transaction; ErrNotFound when nothing is kept, ErrRevoked when it was
// another request.
func (i *Identity) ReplacementIn(
	ctx context.Context, tx *database.Tx, tokenID int64, oldSecret, request string,
) (Replacement, error) {
	kept, err := replacementOf(ctx, tx, tokenID)
	if errors.Is(err, database.ErrNotFound) || err == nil && !i.now().Before(kept.expiresAt) || i.o.Seal == nil {
		return Replacement{}, &NotFoundError{"replacement of credential", strconv.FormatInt(tokenID, 10)}
	}
	if err != nil {
		return Replacement{}, err
	}
	if sum := sha256.Sum256([]byte(request)); !bytes.Equal(sum[:], kept.request) {
		return Replacement{}, ErrRevoked
	}
	plain, err := i.o.Seal.For(replacementPurpose+oldSecret).Open(kept.sealed, replacementPlace(tokenID))
	if err != nil {
		return Replacement{}, err
	}
	r := Replacement{TokenID: tokenID, Request: request, ExpiresAt: kept.expiresAt}
	return r, json.Unmarshal(plain, &r.Secrets)
}

// replacementPurpose begins the name of the box that a replacement lies in.
const replacementPurpose = "identity replacement of "

// replacementPlace binds a sealed replacement to its row.
func replacementPlace(tokenID int64) []byte {
	return []byte("identity_replacements " + strconv.FormatInt(tokenID, 10))
}

var errNoSeal = errors.New("identity: there is no root key to keep a replacement under")

// sweepReplacements deletes replacements that ran out before the time and counts them.
func (i *Identity) sweepReplacements(ctx context.Context, before time.Time) (int64, error) {
	return i.sweep(ctx, deleteExpiredReplacements, before)
}
