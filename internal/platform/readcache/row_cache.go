package readcache

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
)

// Cache keeps rows of one kind. It is safe for concurrent use. What it returns is
// shared: callers do not change what a slice or a map in it holds.
type Cache[K comparable, V any] struct {
	read func(context.Context, database.Querier, K) (V, error)
	rows *memo.Cache[rowKey[K], kept[V]]
}

// kept is a row, or that there is none: a database.ErrNotFound.
type kept[V any] struct {
	row     V
	missing error
}

type rowKey[K comparable] struct {
	commits uint64
	key     K
}

// New makes a cache of what read returns, which takes at most limit bytes; cost is
// what a key and a row refer to. Read says with database.ErrNotFound that
// there is no row.
func New[K comparable, V any](
	limit int, read func(context.Context, database.Querier, K) (V, error), cost func(K, V) int,
) *Cache[K, V] {
	return &Cache[K, V]{
		read: read,
		rows: memo.New(limit, func(k rowKey[K], v kept[V]) int { return cost(k.key, v.row) }),
	}
}

// Get returns the row of a key, as q has it now. A transaction, which may have
// changed the row itself, always reads.
func (c *Cache[K, V]) Get(ctx context.Context, q database.Querier, key K) (V, error) {
	db, whole := q.(*database.DB)
	if !whole {
		return c.read(ctx, q, key)
	}
	commits, known := db.Revision()
	if !known {
		return c.read(ctx, q, key)
	}
	at := rowKey[K]{commits, key}
	if found, ok := c.rows.Get(at); ok {
		return found.row, found.missing
	}
	row, err := c.read(ctx, q, key)
	if after, _ := db.Revision(); (err == nil || errors.Is(err, database.ErrNotFound)) && after == commits {
		c.rows.Put(at, kept[V]{row, err})
	}
	return row, err
}

// Stats counts hits, misses and bytes.
func (c *Cache[K, V]) Stats() memo.Stats { return c.rows.Stats() }
