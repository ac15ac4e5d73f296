package pipelines

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/service/pipelines/build"
)

// outputURLLife is how long the address of an output can be read without a token.
const outputURLLife = 24 * time.Hour

// outputURL leads to what an action printed. Clients fetch it without a token, so it carries a signature of its own.
func (s *Service) outputURL(j *job, a *build.Action) string {
	expires := strconv.FormatInt(s.now().Add(outputURLLife).Unix(), 10)
	q := url.Values{
		"expires": {expires}, "signature": {s.outputSignature(j.build.ID, a.Step, a.Node, expires)},
	}
	return fmt.Sprintf("%s/output/%d/%d?%s", s.names.APIURL(j.base, j.repo, j.kind, j.build.Num), a.Step, a.Node,
		q.Encode())
}

func (s *Service) outputSignature(id int64, step, node int, expires string) string {
	sum := hmac.New(sha256.New, s.world.Seal.ProofKey("pipelines output"))
	fmt.Fprintf(sum, "%d/%d/%d/%s", id, step, node, expires)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// isSigned reports whether an address of an output carries a living signature.
func (s *Service) isSigned(q url.Values, id int64, step, node int) bool {
	expires, signature := q.Get("expires"), q.Get("signature")
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || s.now().Unix() > at {
		return false
	}
	return hmac.Equal([]byte(signature), []byte(s.outputSignature(id, step, node, expires)))
}
