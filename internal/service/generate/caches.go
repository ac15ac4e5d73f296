package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
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
		return at, errInvalid("ttl", "give either ttl or expireTime, not both")
	case e.TTL != nil:
		at = now.Add(*e.TTL)
	case e.At != nil:
		at = *e.At
	}
	if !at.After(now) {
		return at, errInvalid("expireTime", "must be in the future")
	}
	if at.After(now.Add(s.config.MaxCacheTTL)) {
		return at, errInvalid("ttl", "must not be above %s", s.config.MaxCacheTTL)
	}
	return at, nil
}

// Cache finds a cache by its name, cachedContents/ID, without its prefix.
func (s *Service) Cache(ctx context.Context, userID int64, name string) (Cache, error) {
	id, ok := strings.CutPrefix(name, cachePrefix)
	if !ok || id == "" || strings.Contains(id, "/") {
		return Cache{}, errInvalid("cachedContent", "%q does not have the form cachedContents/{cachedContent}", name)
	}
	return s.store.cache(ctx, s.world.DB, userID, id, s.now())
}

// CreateCache counts the content and keeps it.
func (s *Service) CreateCache(ctx context.Context, caller *identity.Caller, c Cache, e Expiry) (Cache, error) {
	if !strings.HasPrefix(c.Model, "models/") {
		return c, errInvalid("model", "is required and has the form models/{model}")
	}
	m, err := s.Model(modelID(c.Model), methodCache)
	if err != nil {
		return c, err
	}
	if len([]rune(c.DisplayName)) > maxCacheName {
		return c, errInvalid("displayName", "must have at most %d characters", maxCacheName)
	}
	if err := checkPrefix(m, &c.Prefix); err != nil {
		return c, err
	}
	place, err := s.counting(ctx, ownerOf(caller), textBytes(c.Prefix.Contents...))
	if err != nil {
		return c, err
	}
	defer place.Release()
	w, err := s.scale(m, m.InputTokenLimit, caller.UserID, "").contents(ctx, c.Prefix.Contents, c.Prefix.SystemInstruction, c.Prefix.Tools)
	if err != nil {
		return c, err
	}
	if w.total() < s.config.MinCacheTokens {
		return c, errInvalid("contents", "cached content is too small. total_token_count=%d, min_total_token_count=%d", w.total(), s.config.MinCacheTokens)
	}
	if w.total() > m.InputTokenLimit {
		return c, errInvalid("contents", "has more than the %d tokens that the model takes", m.InputTokenLimit)
	}
	now := s.now()
	if c.ExpiresAt, err = s.until(e, now); err != nil {
		return c, err
	}
	c.ID, c.UserID, c.Tokens = s.world.IDs.Text("abcdefghijklmnopqrstuvwxyz0123456789", 20), caller.UserID, w.details()
	c.CreatedAt, c.UpdatedAt = now, now
	return c, s.keepCache(ctx, &c)
}

// keepCache stores a cache if its owner has room for it.
func (s *Service) keepCache(ctx context.Context, c *Cache) error {
	prefix, err := json.Marshal(c.Prefix)
	if err != nil {
		return fmt.Errorf("keep cached content: %w", err)
	}
	c.Size = int64(len(prefix))
	return s.world.DB.WriteKeyed(ctx, storageKey(c.UserID), func(ctx context.Context, tx *database.Tx) error {
		if err := s.checkStorage(ctx, tx, c.UserID, c.Size); err != nil {
			return err
		}
		return s.store.insertCache(ctx, tx, *c, prefix)
	})
}

// checkPrefix holds the content to the rules of a request. A cache without
// contents is one with a system instruction or tools only.
func checkPrefix(m ModelConfig, p *CachePrefix) error {
	r := Request{Contents: p.Contents, SystemInstruction: p.SystemInstruction, Tools: p.Tools, ToolConfig: p.ToolConfig}
	if len(r.Contents) == 0 {
		if p.SystemInstruction == nil && len(p.Tools) == 0 {
			return errInvalid("contents", "nothing to cache: give contents, systemInstruction or tools")
		}
		r.Contents = []Content{{Role: RoleUser, Parts: []Part{text("x")}}}
	}
	_, err := newPrompt(m, &r)
	return err
}

// ListCaches gives a page of caches, the newest first, and whether there are more.
func (s *Service) ListCaches(ctx context.Context, userID int64, after cursor, size int) ([]Cache, bool, error) {
	list, err := s.store.caches(ctx, s.world.DB, userID, after, s.now(), size+1)
	if err != nil || len(list) <= size {
		return list, false, err
	}
	return list[:size], true, nil
}

// RenewCache changes when a cache expires, which is all that can change.
func (s *Service) RenewCache(ctx context.Context, userID int64, name string, e Expiry) (Cache, error) {
	if e.TTL == nil && e.At == nil {
		return Cache{}, errInvalid("ttl", "give ttl or expireTime; nothing else of cached content can change")
	}
	c, err := s.Cache(ctx, userID, name)
	if err != nil {
		return c, err
	}
	c.UpdatedAt = s.now()
	if c.ExpiresAt, err = s.until(e, c.UpdatedAt); err != nil {
		return c, err
	}
	return c, s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.store.renewCache(ctx, tx, c) })
}

// DeleteCache forgets a cache.
func (s *Service) DeleteCache(ctx context.Context, userID int64, name string) error {
	c, err := s.Cache(ctx, userID, name)
	if err != nil {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.store.deleteCache(ctx, tx, c.ID) })
}
