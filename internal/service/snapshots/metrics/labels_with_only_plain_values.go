//go:build !small

package metrics

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// plainValues knows of which labels all values are plain. A plain value of a query is looked up in
// the engine's index of such a label; otherwise a regular expression is held against every value
// that the label has, of any organization.
type plainValues struct {
	mu     sync.Mutex
	head   map[string]bool
	blocks map[blockLabel]bool
}

// blockLabel is a label in a block, which never changes.
type blockLabel struct{ block, label string }

// maxBlockLabels bounds what is known of blocks; beyond it the map starts anew.
const maxBlockLabels = 10_000

// isPlain reports whether a stored value equals a value of a query exactly when it matches it:
// it is one value, and in lower case.
func isPlain(value string) bool {
	return !strings.HasPrefix(value, separator) && strings.ToLower(value) == value
}

// note looks at a series before its first point is written.
func (p *plainValues) note(series labels.Labels) {
	series.Range(func(l labels.Label) {
		if isPlain(l.Value) {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.setHead(l.Name, false)
	})
}

func (p *plainValues) setHead(label string, plain bool) {
	if p.head == nil {
		p.head = map[string]bool{}
	}
	p.head[label] = plain
}

// of tells which labels that a selection looks up are plain. A reader that was opened before sees
// no other values: what has left the head since is in a block.
func (p *plainValues) of(ctx context.Context, db *tsdb.DB, scope query.Filter) (map[string]bool, error) {
	found := map[string]bool{}
	for _, h := range required(scope) {
		label := labelName(h.Key)
		plain, err := p.isPlain(ctx, db, label)
		if err != nil {
			return nil, err
		}
		found[label] = plain
	}
	return found, nil
}

func (p *plainValues) isPlain(ctx context.Context, db *tsdb.DB, label string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	plain, known := p.head[label]
	if !known {
		var err error
		if plain, err = plainIn(ctx, db.Head(), label); err != nil {
			return false, err
		}
		p.setHead(label, plain)
	}
	for _, b := range db.Blocks() {
		if !plain {
			return false, nil
		}
		key := blockLabel{b.Meta().ULID.String(), label}
		if plain, known = p.blocks[key]; known {
			continue
		}
		var err error
		if plain, err = plainIn(ctx, b, label); err != nil {
			return false, err
		}
		if p.blocks == nil || len(p.blocks) >= maxBlockLabels {
			p.blocks = map[blockLabel]bool{}
		}
		p.blocks[key] = plain
	}
	return plain, nil
}

// plainIn looks at every value of a label. A block that is being removed is not plain.
func plainIn(ctx context.Context, from tsdb.BlockReader, label string) (plain bool, err error) {
	index, err := from.Index()
	if errors.Is(err, tsdb.ErrClosing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	values, err := index.LabelValues(ctx, label, nil)
	for _, v := range values {
		if !isPlain(v) {
			return false, err
		}
	}
	return true, err
}
