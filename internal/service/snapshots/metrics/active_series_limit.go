//go:build !small

package metrics

import (
	"context"
	"errors"
	"sync"

	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

// active bounds the series of each organization in the head of the engine, which
// holds them in memory until some hours after their last point. What is counted
// is an upper bound: it grows with every new series and is counted anew, exactly,
// before anything is refused.
type active struct {
	mu    sync.Mutex // held while series are made, so that counting is exact
	count map[string]int
}

// maxCounted bounds the organizations that are remembered.
const maxCounted = 100_000

// reserve allows n more series or refuses. The caller holds the lock until the
// series are made.
func (a *active) reserve(ctx context.Context, db *tsdb.DB, org string, n, limit int) error {
	have, ok := a.count[org]
	if !ok || have+n > limit {
		var err error
		if have, err = countActive(ctx, db, org); err != nil {
			return err
		}
	}
	if a.count == nil || len(a.count) >= maxCounted {
		a.count = map[string]int{}
	}
	if a.count[org] = have; have+n > limit {
		return &ActiveError{Max: limit}
	}
	a.count[org] = have + n
	return nil
}

// countActive counts the series of an organization in the head.
func countActive(ctx context.Context, db *tsdb.DB, org string) (n int, err error) {
	index, err := db.Head().Index()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	p, err := index.Postings(ctx, orgLabel, org)
	if err != nil {
		return 0, err
	}
	for p.Next() {
		n++
	}
	return n, p.Err()
}

// resolve finds labels and references of a submission's series and counts those
// that the engine does not have yet.
func (l *Local) resolve(app storage.Appender, org string, keys []string, list []Series) (found []known, fresh int) {
	lookup, _ := app.(storage.GetRef)
	found = make([]known, len(list))
	for i := range list {
		k := l.known(keys[i], org, &list[i])
		if lookup != nil && (k.ref == 0 || l.o.MaxActive > 0) {
			k.ref, _ = lookup.GetRef(k.labels, k.labels.Hash())
			if k.ref == 0 && len(list[i].Samples) > 0 {
				fresh++
			}
		}
		found[i] = k
	}
	return found, fresh
}
