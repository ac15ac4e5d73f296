package pipelines

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/klauspost/compress/s2"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// readAhead is how many pieces of output are read at once, after the first ones:
// many readers want only the beginning.
const readAhead = 8

// errEnough ends eachPiece before the end.
var errEnough = errors.New("pipelines: the reader has enough")

// eachPiece hands what an action printed to fn, in order, until fn has enough.
func (s *Service) eachPiece(ctx context.Context, id int64, step, node int, after int64, fn func(piece, []byte) error) (last int64, err error) {
	for ahead := 1; ; ahead = min(2*ahead, readAhead) {
		list, err := piecesOf(ctx, s.world.DB, id, step, node, after, ahead)
		if err != nil || len(list) == 0 {
			return after, err
		}
		for _, p := range list {
			n, err := s2.DecodedLen(p.packed)
			if err != nil || n > pieceSize {
				return after, fmt.Errorf("output %d/%d/%d/%d is damaged", id, step, node, p.seq)
			}
			text, err := s2.Decode(nil, p.packed)
			if err != nil {
				return after, fmt.Errorf("output %d/%d/%d/%d: %w", id, step, node, p.seq, err)
			}
			if err := fn(p, text); errors.Is(err, errEnough) {
				return p.seq, nil
			} else if err != nil {
				return after, err
			}
			after = p.seq
		}
	}
}

// serveOutput answers with what one action printed: as messages, or with
// file=true as text. A signed address needs no token.
func (s *Service) serveOutput(w http.ResponseWriter, r *route.Request, stepText, nodeText string) error {
	step, err1 := strconv.Atoi(stepText)
	node, err2 := strconv.Atoi(nodeText)
	num, err3 := number(r.PathValue("build_num"))
	if err1 != nil || err2 != nil || err3 != nil {
		return errNotFound("Output")
	}
	b, err := s.readable(r, num, step, node)
	if err != nil {
		return err
	}
	if r.Query().Get("file") == "true" {
		return s.streamText(w, r, b.ID, [][2]int{{step, node}}, false)
	}
	most, err := whole(r, "truncate", maxMessages)
	if err != nil {
		return err
	}
	left := min(most, maxMessages)
	memory, err := s.world.Memory.Take(r.Context(), r.Owner(), 2*int64(left))
	if err != nil {
		return err
	}
	defer memory.Release()
	out := answer(r).Array()
	_, err = s.eachPiece(r.Context(), b.ID, step, node, 0, func(p piece, text []byte) error {
		if left <= 0 {
			return errEnough
		}
		text = text[:min(len(text), left)]
		left -= len(text)
		out.Object()
		putText(out, "type", p.kind)
		putTime(out, "time", p.at)
		putText(out, "message", string(text))
		out.End()
		return nil
	})
	if err != nil {
		return err
	}
	return write(w, r, http.StatusOK, out.End())
}

// maxMessages bounds how much output one answer of messages holds; file=true
// has no bound.
const maxMessages = 16 << 20

// readable is a job whose output the caller may read, by right or by signature.
func (s *Service) readable(r *route.Request, num int64, step, node int) (Build, error) {
	repo, _, err := s.target(r, rightRead)
	if err == nil {
		return s.Build(r.Context(), repo, num)
	}
	if !isOwn(err) || r.Query().Get("signature") == "" {
		return Build{}, err
	}
	repo, _, unknown := s.forge.Find(r.Context(), r.PathValue("username"), r.PathValue("project"))
	if unknown != nil {
		return Build{}, err
	}
	b, unknown := s.Build(r.Context(), repo, num)
	if unknown != nil || !s.signed(r.Query(), b.ID, step, node) {
		return Build{}, err
	}
	return b, nil
}

// serveLog sends everything that a job has printed as one text.
func (s *Service) serveLog(w http.ResponseWriter, r *route.Request, b Build) error {
	actions, err := actionsOf(r.Context(), s.world.DB, b.ID, 0)
	if err != nil {
		return err
	}
	places := make([][2]int, 0, len(actions))
	for _, a := range actions {
		places = append(places, [2]int{a.Step, a.Node})
	}
	return s.streamText(w, r, b.ID, places, true)
}

// streamText sends output as it is read, so that its size does not matter.
func (s *Service) streamText(w http.ResponseWriter, r *route.Request, id int64, places [][2]int, heads bool) error {
	place, err := s.downloads.Take(r.Context(), r.Owner(), 1)
	if err != nil {
		return err
	}
	defer place.Release()
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-cache")
	out := bufio.NewWriterSize(w, 64<<10)
	for _, at := range places {
		if heads {
			fmt.Fprintf(out, "==> step %d, node %d\n", at[0], at[1])
		}
		_, err := s.eachPiece(r.Context(), id, at[0], at[1], 0, func(_ piece, text []byte) error {
			_, err := out.Write(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

func escape(segment string) string { return strings.ReplaceAll(url.PathEscape(segment), "+", "%2B") }

// eventForm is the encoding of what is sent while a job runs.
const eventForm = wire.CompactJSON

// viewer is who looks at a page: a signed-in person or nobody.
func viewer(u *identity.User) *identity.Caller {
	if u == nil {
		return nil
	}
	return &identity.Caller{
		UserID: u.ID, UserName: u.Name, Admin: u.Admin, Kind: identity.KindPersonal, Services: []string{Name}, Scopes: identity.EveryScope(),
	}
}
