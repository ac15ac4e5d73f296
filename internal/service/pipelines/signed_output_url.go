package pipelines

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

const (
	// outputURLLife is how long the address of an output can be read without a token.
	outputURLLife = 10 * time.Minute
	// readerDigits begin a signature, and twice as many: the user whom it was made for and the credential, in hexadecimal.
	readerDigits = 16
)

// readBy makes signed addresses follow the rights of a caller.
func (j *job) readBy(c *identity.Caller) {
	j.reader = project.Reader(c)
	if c != nil {
		j.keyID = c.TokenID
	}
}

// outputURL leads to what an action printed. Clients fetch it without a token, so it carries a signature of its own.
func (s *Service) outputURL(j *job, a *build.Action) string {
	expires := strconv.FormatInt(s.now().Add(outputURLLife).Unix(), 10)
	q := url.Values{
		"expires": {expires}, "signature": {s.outputSignature(j.reader, j.keyID, j.build.ID, a.Step, a.Node, expires)},
	}
	return fmt.Sprintf("%s/output/%d/%d?%s", s.names.APIURL(j.base, j.repo, j.kind, j.build.Num), a.Step, a.Node,
		q.Encode())
}

func (s *Service) outputSignature(reader, keyID, id int64, step, node int, expires string) string {
	sum := hmac.New(sha256.New, s.world.Seal.ProofKey("pipelines output"))
	fmt.Fprintf(sum, "%d/%d/%d/%s/%d/%d", id, step, node, expires, reader, keyID)
	return fmt.Sprintf("%0*x%0*x", readerDigits, reader, readerDigits, keyID) + hex.EncodeToString(sum.Sum(nil)[:16])
}

// isSigned reports whether an address of an output carries a living signature, made for a user who may read the
// project still, with a credential that was not revoked since.
func (s *Service) isSigned(
	ctx context.Context, q url.Values, r forge.Repository, id int64, step, node int,
) (bool, error) {
	expires, signature := q.Get("expires"), q.Get("signature")
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || s.now().Unix() > at || len(signature) < 2*readerDigits {
		return false, nil
	}
	reader, err := strconv.ParseInt(signature[:readerDigits], 16, 64)
	keyID, wrong := strconv.ParseInt(signature[readerDigits:2*readerDigits], 16, 64)
	if err != nil || wrong != nil ||
		!hmac.Equal([]byte(signature), []byte(s.outputSignature(reader, keyID, id, step, node, expires))) {
		return false, nil
	}
	if revoked, err := grants.CredentialRevoked(ctx, s.world.DB, keyID); err != nil || revoked {
		return false, err
	}
	return s.projects.StillReads(ctx, reader, r)
}
