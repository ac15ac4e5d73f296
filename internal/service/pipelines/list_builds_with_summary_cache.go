package pipelines

import (
	"context"
	"errors"
	"sync"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// summaryKey names one encoded form of one version of a job. The project's name is part of it, because a rename changes
// what is encoded.
type summaryKey struct {
	id, version int64
	project     string
	variant     variant
}

// variant is everything else that an encoded summary depends on.
type variant struct {
	form    wire.Form
	kind    vcs.Kind
	shallow bool
	base    string // of its links
}

// summaryCache caches encoded summaries, so that a list is put together from pieces instead of being encoded again.
type summaryCache struct {
	*memo.Cache[summaryKey, []byte]
	// buffers are what lists were put together in, to be used again.
	buffers sync.Pool
}

const (
	// summaryMemory bounds the cache: some 3 kB for each job.
	summaryMemory = 12 << 20
	// lightList is how long the jobs of a list may be together that takes no memory of all requests.
	lightList = 256 << 10
	// maxPooledBuffer is the largest buffer that is used again.
	maxPooledBuffer = 512 << 10
)

func newSummaryCache() *summaryCache {
	return &summaryCache{Cache: memo.New(summaryMemory, func(k summaryKey, form []byte) int {
		return len(k.project) + len(k.variant.base) + len(form)
	})}
}

// buffer is an empty buffer; putBuffer takes it back.
func (c *summaryCache) buffer() []byte {
	if b, ok := c.buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

func (c *summaryCache) putBuffer(b []byte) {
	if cap(b) > 0 && cap(b) <= maxPooledBuffer {
		c.buffers.Put(&b)
	}
}

// listQuery is which part of a list a caller wants.
type listQuery struct {
	limit, offset int
	filter        build.Filter
	shallow       bool
}

// buildRow is a job of a list with the project it belongs to.
type buildRow struct {
	build.Row
	repo *forge.Repository
	kind vcs.Kind
}

// ListBuilds lists the jobs of a project, or of one of its branches, newest first.
func (s *Service) ListBuilds(ctx context.Context, t target, branch string, q listQuery) ([]buildRow, error) {
	rows, err := build.List(ctx, s.world.DB, t.repo.ID, branch, q.filter, q.limit, q.offset)
	list := make([]buildRow, 0, len(rows))
	for _, row := range rows {
		list = append(list, buildRow{row, &t.repo, t.kind})
	}
	return list, err
}

// RecentBuilds lists the jobs of the projects that a user follows and may see, newest first; with own those that the
// user caused. For a project token it is the project's own list.
func (s *Service) RecentBuilds(ctx context.Context, c *identity.Caller, q listQuery, own bool) ([]buildRow, error) {
	if project.Bound(c) {
		repos, err := s.projects.Listed(ctx, c)
		if err != nil {
			return nil, err
		}
		q.filter = build.FilterNone
		return s.ListBuilds(ctx, target{repo: repos[0]}, "", q)
	}
	if err := project.Personal(c); err != nil {
		return nil, err
	}
	rows, err := build.ListFollowed(ctx, s.world.DB, c.UserID, own, q.limit, q.offset)
	if err != nil {
		return nil, err
	}
	list := make([]buildRow, 0, len(rows))
	repos := map[int64]*forge.Repository{}
	for _, row := range rows {
		repo, ok := repos[row.RepoID]
		if !ok {
			visible, err := s.projects.Visible(ctx, c, row.RepoID)
			if err != nil {
				return nil, err
			}
			repo = &visible
			repos[row.RepoID] = repo
		}
		if repo.ID != 0 {
			list = append(list, buildRow{row, repo, vcs.A})
		}
	}
	return list, nil
}

// encodeSummaries encodes the jobs of a list, of which it takes those from the cache that have not changed. Jobs repeat
// what they were started with, which may be much: it takes memory for what is not light.
func (s *Service) encodeSummaries(
	ctx context.Context, list []buildRow, form wire.Form, shallow bool, memory *budget.Grant,
) ([][]byte, error) {
	keys, forms := make([]summaryKey, len(list)), make([][]byte, len(list))
	var repo *forge.Repository
	name, base := "", s.world.URL(ctx)
	for i, row := range list {
		if row.repo != repo {
			repo, name = row.repo, row.repo.FullName()
		}
		keys[i] = summaryKey{row.ID, row.Version, name, variant{form, row.kind, shallow, base}}
	}
	if s.summaries.GetAll(keys, forms) == 0 {
		return forms, nil
	}
	encoded, left := forms[:0], lightList
	for i, key := range keys {
		text, err := forms[i], error(nil)
		if text == nil {
			text, err = s.encodeSummary(ctx, list[i], key)
		}
		if errors.Is(err, database.ErrNotFound) {
			continue // deleted since it was listed
		}
		if err != nil {
			return nil, err
		}
		if left -= len(text); left < 0 {
			// The form, what it was made of, and the list.
			if err := memory.Grow(-3 * int64(left)); err != nil {
				return nil, err
			}
			left = 0
		}
		encoded = append(encoded, text)
	}
	return encoded, nil
}

// encodeSummary reads and encodes a job. It may have changed since it was listed: then its newer form is sent and
// cached
// as such.
func (s *Service) encodeSummary(ctx context.Context, row buildRow, key summaryKey) ([]byte, error) {
	b, err := build.ByID(ctx, s.world.DB, row.ID)
	if err != nil {
		return nil, err
	}
	v := key.variant
	j := job{build: b, repo: *row.repo, kind: row.kind, base: v.base}
	text, err := v.form.Encode(s.summaryToWire(&j, v.shallow), 1)
	if err != nil {
		return nil, err
	}
	key.version = b.Version
	s.summaries.Put(key, text)
	return text, nil
}
