package generate

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

func (s *Service) handleCreateCache(w http.ResponseWriter, r *route.Request) error {
	var body cacheJSON
	if err := s.decode(r, &body); err != nil {
		return err
	}
	expiry, err := body.expiry()
	if err != nil {
		return err
	}

	c, err := s.CreateCache(r.Context(), identity.From(r), Cache{
		Model: body.Model, DisplayName: body.DisplayName,
		Prefix: CachePrefix{body.Contents, body.SystemInstruction, body.Tools, body.ToolConfig},
	}, expiry)
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, cacheToWire(c))
}

func (s *Service) handleGetCache(w http.ResponseWriter, r *route.Request) error {
	c, err := s.Cache(r.Context(), identity.From(r).UserID, cachePrefix+r.PathValue("cache"))
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, cacheToWire(c))
}

func (s *Service) handleListCaches(w http.ResponseWriter, r *route.Request) error {
	list, next, err := listPage(s, r, "caches", 50, 1000, s.ListCaches, func(c Cache) files.Cursor {
		return files.Cursor{CreatedAt: c.CreatedAt, ID: c.ID}
	})
	if err != nil {
		return err
	}

	page := cachesJSON{NextPageToken: next}
	for _, c := range list {
		page.CachedContents = append(page.CachedContents, cacheToWire(c))
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, page)
}

// handlePatchCache changes the expiry; everything else is fixed, and saying
// otherwise is refused.
func (s *Service) handlePatchCache(w http.ResponseWriter, r *route.Request) error {
	var body cacheJSON
	if err := s.decode(r, &body); err != nil {
		return err
	}
	for _, field := range strings.Split(eitherSpelling(r.Query(), "updateMask", "update_mask"), ",") {
		if field != "" && field != "ttl" && field != "expireTime" && field != "expire_time" {
			return api.ErrInvalidField("updateMask", "%q cannot be changed; only ttl and expireTime can", field)
		}
	}
	if body.Name != "" || body.Model != "" || body.DisplayName != "" || body.Contents != nil ||
		body.SystemInstruction != nil || body.Tools != nil || body.ToolConfig != nil {
		return api.ErrInvalidField("cachedContent", "only ttl and expireTime can be changed")
	}
	expiry, err := body.expiry()
	if err != nil {
		return err
	}

	c, err := s.RenewCache(r.Context(), identity.From(r).UserID, cachePrefix+r.PathValue("cache"), expiry)
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, cacheToWire(c))
}

func (s *Service) handleDeleteCache(w http.ResponseWriter, r *route.Request) error {
	if err := s.DeleteCache(r.Context(), identity.From(r).UserID, cachePrefix+r.PathValue("cache")); err != nil {
		return err
	}

	return writeEmpty(w, r)
}
