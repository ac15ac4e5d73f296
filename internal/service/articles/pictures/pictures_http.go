package pictures

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/platform/wire/ranges"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// Path is where pictures are, on every host.
const Path = "/api/v2/pictures"

const usersPath = Path + "/users/"

// UserPath is where the drawn picture of a user is.
func UserPath(user int64) string { return usersPath + Seed(user) + ".png" }

// PublicRoutes serve pictures to anybody: uploaded ones, and those drawn for users.
func (p *Pictures) PublicRoutes() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: Path + "/{picture_id}", Name: "pictures.get", Handle: p.handleGet},
		{Method: "GET", Pattern: usersPath + "{picture_name}", Name: "pictures.user", Handle: p.handleUser},
	}
}

// CallerRoutes upload and delete pictures of the caller. base is what the addresses of
// uploaded pictures begin with.
func (p *Pictures) CallerRoutes(base func(context.Context) string) []route.Route {
	return []route.Route{
		{
			Method: "POST", Pattern: Path, Name: "pictures.create", Access: route.Optional, MaxBody: MaxBytes,
			Handle: p.handleCreate(base),
		},
		{
			Method: "DELETE", Pattern: Path + "/{picture_id}", Name: "pictures.delete", Access: route.Optional,
			Handle: p.handleDelete,
		},
	}
}

type pictureJSON struct {
	ID        string `json:"id"`
	MediaType string `json:"media_type"`
	Size      int64  `json:"size"`
	URL       string `json:"url"`
	Markdown  string `json:"markdown"`
}

func (p *Pictures) handleCreate(base func(context.Context) string) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			return readFailure(err)
		}
		made, err := p.Upload(r.Context(), identity.From(r).UserID, http.DetectContentType(content), content)
		if err != nil {
			return err
		}
		address := base(r.Context()) + Path + "/" + made.ID
		return wire.WriteJSON(w, r.Request, http.StatusCreated, pictureJSON{
			ID: made.ID, MediaType: made.MediaType, Size: made.Bytes, URL: address,
			Markdown: "![](" + Path + "/" + made.ID + ")", // right at whatever address the article is read
		})
	}
}

func readFailure(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return &wire.SizeError{Limit: MaxBytes}
	}
	return err
}

func (p *Pictures) handleDelete(w http.ResponseWriter, r *route.Request) error {
	if err := p.Delete(r.Context(), identity.From(r).UserID, r.PathValue("picture_id")); err != nil {
		return err
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// unchanging keeps a picture in the browser: an address never shows another one.
const unchanging = "public, max-age=31536000, immutable"

func setHeaders(h http.Header, mediaType string) {
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", unchanging)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
}

func (p *Pictures) handleGet(w http.ResponseWriter, r *route.Request) error {
	content, info, err := p.Open(r.Context(), r.PathValue("picture_id"))
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read
	setHeaders(w.Header(), info.ContentType)
	ranges.Serve(w, r.Request, "", info.Modified, content)
	return nil
}

func (p *Pictures) handleUser(w http.ResponseWriter, r *route.Request) error {
	seed, ok := strings.CutSuffix(r.PathValue("picture_name"), ".png")
	if !ok || !hexID(seed, seedDigits) {
		return refusal.Missing()
	}
	picture, err := Draw(seed)
	if err != nil {
		return err
	}
	setHeaders(w.Header(), "image/png")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "image/png", picture)
}
