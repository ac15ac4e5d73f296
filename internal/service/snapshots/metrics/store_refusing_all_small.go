//go:build small

package metrics

import (
	"context"
	"io"

	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// maxRevision is how often a point can be replaced; none is stored here.
const maxRevision = 0

func absent() error { return &smallbuild.Error{Part: smallbuild.MetricsEngine} }

// Local is a store that refuses everything: the small build has no engine.
type Local struct{}

// NewLocal returns a store that refuses everything.
func NewLocal(Options) *Local { return &Local{} }

// NewRemote returns a store that refuses everything: its protocol is the engine's.
func NewRemote(string, *outbound.Gate) *Local { return &Local{} }

// Write refuses points.
func (*Local) Write(_ context.Context, _ string, list []Series) (Written, error) {
	if len(list) == 0 {
		return Written{}, nil
	}
	return Written{}, absent()
}

// Select refuses.
func (*Local) Select(context.Context, string, query.Selection, func(query.Tags, query.Samples) error) error {
	return absent()
}

// Names refuses.
func (*Local) Names(context.Context, string, int64, int64, string, ReserveMemory) ([]string, error) {
	return nil, absent()
}

// PromQL refuses.
func (*Local) PromQL(context.Context, string, string, query.Range, ReserveMemory) ([]query.Series, error) {
	return nil, absent()
}

// CheckPromQL refuses.
func (*Local) CheckPromQL(string, query.Range) error { return absent() }

// Compact has nothing to do.
func (*Local) Compact(context.Context) error { return nil }

// MoveLate has nothing to do.
func (*Local) MoveLate(context.Context) error { return nil }

// Close has nothing to do.
func (*Local) Close() error { return nil }

// TagsOf lists nothing: no store finds a series.
func TagsOf(query.Tags) []string { return nil }

// DecodeOTLP refuses.
func DecodeOTLP([]byte, bool, ReserveMemory) ([]Series, map[string]query.Meta, error) {
	return nil, nil, absent()
}

// EncodeOTLP refuses.
func EncodeOTLP(int, string, bool) ([]byte, error) { return nil, absent() }

// DecodeRemoteWrite refuses.
func DecodeRemoteWrite([]byte, ReserveMemory) ([]Series, error) { return nil, absent() }

// ReadOpenMetrics refuses.
func ReadOpenMetrics(io.Reader, Take) error { return absent() }
