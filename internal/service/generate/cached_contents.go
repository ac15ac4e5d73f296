package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

const (
	cachePrefix = "cachedContents/"
	// defaultTTL is the life of a cache that does not say.
	defaultTTL = time.Hour
	// maxCacheName is the longest display name.
	maxCacheName = 128
)

// Expiry is one of the two ways to say how long a cache lives.
type Expiry struct {
	TTL *time.Duration
	At  *time.Time
}

// until is the moment an expiry means.
func (s *Service) until(e Expiry, now time.Time) (time.Time, error) {
	at := now.Add(defaultTTL)
	switch {
	case e.TTL != nil && e.At != nil:
		return at, api.ErrInvalidField("ttl", "give either ttl or expireTime, not both")
	case e.TTL != nil:
		at = now.Add(*e.TTL)
	case e.At != nil:
		at = *e.At
	}
	if !at.After(now) {
		return at, api.ErrInvalidField("expireTime", "must be in the future")
	}
	if at.After(now.Add(s.config.MaxCacheTTL)) {
		return at, api.ErrInvalidField("ttl", "must not be above %s", s.config.MaxCacheTTL)
	}
	return at, nil
}

// Cache finds a cache by its name, cachedContents/ID, without its prefix.
func (s *Service) Cache(ctx context.Context, userID int64, name string) (Cache, error) {
	id, ok := strings.CutPrefix(name, cachePrefix)
	if !ok || id == "" || strings.Contains(id, "/") {
		return Cache{}, api.ErrInvalidField("cachedContent",
			"%q does not have the form cachedContents/{cachedContent}", name)
	}
	return cacheByID(ctx, s.world.DB, userID, id, s.now())
}

// CreateCache counts the content and keeps it.
func (s *Service) CreateCache(ctx context.Context, caller *identity.Caller, c Cache, e Expiry) (Cache, error) {
	if !strings.HasPrefix(c.Model, "models/") {
		return c, api.ErrInvalidField("model", "is required and has the form models/{model}")
	}
	m, err := s.Model(api.ModelID(c.Model), methodCache)
	if err != nil {
		return c, err
	}
	if utf8.RuneCountInString(c.DisplayName) > maxCacheName {
		return c, api.ErrInvalidField("displayName", "must have at most %d characters", maxCacheName)
	}
	if err := checkPrefix(m, &c.Prefix, m.ID != api.ModelID(c.Model)); err != nil {
		return c, err
	}
	size := tokens.RequestBytes(c.Prefix.Contents, c.Prefix.SystemInstruction, c.Prefix.Tools)
	place, err := s.takeCounting(ctx, ownerOf(caller), size)
	if err != nil {
		return c, err
	}
	defer place.Release()
	counts, err := s.requestCounter(m, m.InputTokenLimit, caller.UserID, "").
		Contents(ctx, c.Prefix.Contents, c.Prefix.SystemInstruction, c.Prefix.Tools)
	if err != nil {
		return c, err
	}
	if n := counts.Total(); n < s.config.MinCacheTokens {
		return c, api.ErrInvalidField("contents", "cached content is too small. "+
			"total_token_count=%d, min_total_token_count=%d", n, s.config.MinCacheTokens)
	}
	if counts.Total() > m.InputTokenLimit {
		return c, api.ErrInvalidField("contents", "has more than the %d tokens that the model takes", m.InputTokenLimit)
	}
	now := s.now()
	if c.ExpiresAt, err = s.until(e, now); err != nil {
		return c, err
	}
	c.ID = s.world.IDs.Text("abcdefghijklmnopqrstuvwxyz0123456789", 20)
	c.UserID, c.Tokens, c.CreatedAt, c.UpdatedAt = caller.UserID, counts.Details(), now, now
	return c, s.insertCache(ctx, &c)
}

// insertCache stores a cache if its owner has storage for it.
func (s *Service) insertCache(ctx context.Context, c *Cache) error {
	prefix, err := json.Marshal(c.Prefix)
	if err != nil {
		return fmt.Errorf("store cached content: %w", err)
	}
	c.Size = int64(len(prefix))
	return s.files.WriteCounted(ctx, c.UserID, c.Size, func(ctx context.Context, tx *database.Tx) error {
		return insertCache(ctx, tx, *c, prefix)
	})
}

// checkPrefix checks the content as that of a request. A cache without contents
// is one with a system instruction or tools only.
func checkPrefix(m api.Model, p *CachePrefix, degrades bool) error {
	r := api.Request{
		Contents: p.Contents, SystemInstruction: p.SystemInstruction, Tools: p.Tools, ToolConfig: p.ToolConfig,
	}
	if len(r.Contents) == 0 {
		if p.SystemInstruction == nil && len(p.Tools) == 0 {
			return api.ErrInvalidField("contents", "nothing to cache: give contents, systemInstruction or tools")
		}
		r.Contents = []api.Content{{Role: api.RoleUser, Parts: []api.Part{api.Text("x")}}}
	}
	_, err := api.NewPrompt(m, &r, degrades)
	return err
}

// ListCaches gives caches of a user, the newest first.
func (s *Service) ListCaches(ctx context.Context, userID int64, after files.Cursor, limit int) ([]Cache, error) {
	return listCaches(ctx, s.world.DB, userID, after, s.now(), limit)
}

// RenewCache changes when a cache expires, which is all that can change.
func (s *Service) RenewCache(ctx context.Context, userID int64, name string, e Expiry) (Cache, error) {
	if e.TTL == nil && e.At == nil {
		return Cache{}, api.ErrInvalidField("ttl", "give ttl or expireTime; nothing else of cached content can change")
	}
	c, err := s.Cache(ctx, userID, name)
	if err != nil {
		return c, err
	}
	c.UpdatedAt = s.now()
	if c.ExpiresAt, err = s.until(e, c.UpdatedAt); err != nil {
		return c, err
	}
	return c, s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return updateCache(ctx, tx, c) })
}

// DeleteCache deletes a cache.
func (s *Service) DeleteCache(ctx context.Context, userID int64, name string) error {
	c, err := s.Cache(ctx, userID, name)
	if err != nil {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return deleteCache(ctx, tx, c.ID) })
}
