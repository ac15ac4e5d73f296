package snapshots

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/platform/wire/ranges"
	"stoa.dev/stoa/internal/service/snapshots/pictures"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

func (s *Service) handleSnapshot(w http.ResponseWriter, r *route.Request) error {
	in, err := fromQuery(r.Query())
	if err != nil {
		return err
	}

	return s.snapshot(w, r, in)
}

// handleSnapshotPost takes the same members as a JSON body, for definitions
// that are too long for an address.
func (s *Service) handleSnapshotPost(w http.ResponseWriter, r *route.Request) error {
	var in snapshotRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	request, err := in.fromWire()
	if err != nil {
		return err
	}

	return s.snapshot(w, r, request)
}

func (s *Service) snapshot(w http.ResponseWriter, r *route.Request, in GraphRequest) error {
	out, err := s.TakeSnapshot(r.Context(), tenantOf(identity.From(r)), s.base(r), in)
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, snapshotToWire(out))
}

// handleStatus answers 200 with the status of the picture inside, as clients
// that poll expect it.
func (s *Service) handleStatus(w http.ResponseWriter, r *route.Request) error {
	path := strings.TrimSuffix(r.PathValue("secret"), ".png")

	g, err := s.Find(r.Context(), path)
	if err == nil && g.Org != tenantOf(identity.From(r)).Org {
		err = errNotFound("snapshot")
	}
	if err != nil && !refusal.IsMissing(err) {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, statusResponse{StatusCode: statusOf(g, err)})
}

// handleView serves the picture. Its address is unguessable, so no credential
// is asked for.
func (s *Service) handleView(w http.ResponseWriter, r *route.Request) error {
	path, ok := strings.CutSuffix(r.PathValue("secret"), ".png")
	if !ok {
		return errNotFound("snapshot")
	}

	g, err := s.Find(r.Context(), path)
	switch {
	case err != nil:
		return err
	case g.State == Failed:
		return errFailed(g.Reason)
	case g.State == Pending:
		return writePending(w, r)
	}
	file, info, err := s.world.Blobs.Open(r.Context(), pictures.Key(g.SHA256))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read

	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("ETag", `"`+g.SHA256+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age="+strconv.FormatInt(s.maxAge(g), 10)+", immutable")
	ranges.Serve(w, r.Request, "", info.Modified, file)
	return nil
}

// maxAge is how long a picture may be cached: until it expires, at most a year.
func (s *Service) maxAge(g Graph) int64 {
	const year = 365 * 24 * time.Hour
	if g.Expires.IsZero() {
		return int64(year.Seconds())
	}
	return int64(min(max(g.Expires.Sub(s.world.Clock.Now()), 0), year).Seconds())
}

// setNoCache has proxies ask again before they repeat answers that concern one caller.
func setNoCache(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Pragma", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "SAMEORIGIN")
}

func (s *Service) handleValidate(w http.ResponseWriter, r *route.Request) error {
	return wire.WriteJSON(w, r.Request, http.StatusOK, validateResponse{Valid: true})
}

type validateResponse struct {
	Valid bool `json:"valid"`
}
