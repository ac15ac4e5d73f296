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
	"stoa.dev/stoa/internal/service/pipelines/build"
)

const (
	// outputURLLife is how long the address of an output can be read without a token.
	outputURLLife = 10 * time.Minute
	// readerDigits begin a signature: the user whom it was made for, in hexadecimal.
	readerDigits = 16
)

// outputURL leads to what an action printed. Clients fetch it without a token, so it carries a signature of its own.
func (s *Service) outputURL(j *job, a *build.Action) string {
	expires := strconv.FormatInt(s.now().Add(outputURLLife).Unix(), 10)
	q := url.Values{
		"expires": {expires}, "signature": {s.outputSignature(j.reader, j.build.ID, a.Step, a.Node, expires)},
	}
	return fmt.Sprintf("%s/output/%d/%d?%s", s.names.APIURL(j.base, j.repo, j.kind, j.build.Num), a.Step, a.Node,
		q.Encode())
}

func (s *Service) outputSignature(reader, id int64, step, node int, expires string) string {
	sum := hmac.New(sha256.New, s.world.Seal.ProofKey("pipelines output"))
	fmt.Fprintf(sum, "%d/%d/%d/%s/%d", id, step, node, expires, reader)
	return fmt.Sprintf("%0*x", readerDigits, reader) + hex.EncodeToString(sum.Sum(nil)[:16])
}

// isSigned reports whether an address of an output carries a living signature, made for a user who may read the
// project still.
func (s *Service) isSigned(
	ctx context.Context, q url.Values, r forge.Repository, id int64, step, node int,
) (bool, error) {
	expires, signature := q.Get("expires"), q.Get("signature")
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || s.now().Unix() > at || len(signature) < readerDigits {
		return false, nil
	}
	reader, err := strconv.ParseInt(signature[:readerDigits], 16, 64)
	if err != nil || !hmac.Equal([]byte(signature), []byte(s.outputSignature(reader, id, step, node, expires))) {
		return false, nil
	}
	return s.projects.StillReads(ctx, reader, r)
}
