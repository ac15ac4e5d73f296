package metrics

import (
	"context"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Backend is where points live: Local or Remote.
type Backend interface {
	Write(ctx context.Context, org string, list []Series) (Written, error)
	Select(ctx context.Context, org string, s query.Selection, each func(query.Tags, query.Samples) error) error
	Names(ctx context.Context, org string, from, to int64, tag string, weigh ReserveMemory) ([]string, error)
	PromQL(ctx context.Context, org, text string, r query.Range, weigh ReserveMemory) ([]query.Series, error)
	CheckPromQL(text string, r query.Range) error
	Close() error
}
