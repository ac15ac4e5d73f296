package generate

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
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
	size, err := pageSize(r.Query(), 50, 1000)
	if err != nil {
		return err
	}
	after, err := s.pageStart(r, "caches")
	if err != nil {
		return err
	}

	list, more, err := s.ListCaches(r.Context(), identity.From(r).UserID, after, size)
	if err != nil {
		return err
	}

	page := struct {
		CachedContents []cacheJSON `json:"cachedContents,omitempty"`
		NextPageToken  string      `json:"nextPageToken,omitempty"`
	}{}
	for _, c := range list {
		page.CachedContents = append(page.CachedContents, cacheToWire(c))
	}
	if more {
		last := list[len(list)-1]
		page.NextPageToken = s.pages().Seal(cursor{last.CreatedAt, last.ID}, "caches")
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
	for _, field := range strings.Split(r.Query().Get("updateMask"), ",") {
		if field != "" && field != "ttl" && field != "expireTime" && field != "expire_time" {
			return errInvalid("updateMask", "%q cannot be changed; only ttl and expireTime can", field)
		}
	}
	if body.Name != "" || body.Model != "" || body.DisplayName != "" || body.Contents != nil || body.SystemInstruction != nil || body.Tools != nil || body.ToolConfig != nil {
		return errInvalid("cachedContent", "only ttl and expireTime can be changed")
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

	return wire.WriteJSON(w, r.Request, http.StatusOK, nothing())
}
