//go:build !small

package metrics

import (
	"context"
	"fmt"

	"github.com/prometheus/prometheus/tsdb"
)

// Compact moves points out of the engine's memory and log, as the engine does by itself
// after some time, and joins all blocks into one: a copy of the folder has few files.
func (l *Local) Compact(ctx context.Context) error {
	db, err := l.open()
	if err != nil {
		return err
	}
	defer l.inUse.Done()
	if err := db.Compact(ctx); err != nil {
		return err
	}
	return l.joinBlocks(ctx, db)
}

func (l *Local) joinBlocks(ctx context.Context, db *tsdb.DB) error {
	blocks := db.Blocks()
	if len(blocks) < 2 {
		return nil
	}
	folders := make([]string, len(blocks))
	for i, b := range blocks {
		folders[i] = b.Dir()
	}
	options := l.engineOptions(revisionBits)
	compactor, err := tsdb.NewLeveledCompactor(ctx, nil, lowerLevel(l.o.Log), []int64{options.MinBlockDuration}, nil, nil)
	if err != nil {
		return err
	}
	if _, err := compactor.Compact(db.Dir(), folders, blocks); err != nil {
		return fmt.Errorf("join blocks: %w", err)
	}
	// The engine looks at its folder again after this, and removes the blocks that were joined.
	return db.CompactOOOHead(ctx)
}
