package feed

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/advisory"
)

// State is how far the records of an ecosystem were read: the state of the archive,
// and when the record changed that changed last.
type State struct{ Tag, Newest string }

// StateStore keeps records and how far they were read. A state that was never put is
// the zero State.
type StateStore interface {
	Store
	State(ctx context.Context, ecosystem string) (State, error)
	PutState(ctx context.Context, ecosystem string, s State) error
}

// Ecosystem is what was read of one ecosystem: its archive, the records that changed,
// or nothing.
type Ecosystem struct {
	Ecosystem string `json:"ecosystem"`
	Was       string `json:"was"`
	Read      int64  `json:"read"`
	Changed   int64  `json:"changed"`
	Skipped   int64  `json:"skipped,omitempty"`
	Problem   string `json:"problem,omitempty"`
}

// maxDelta is how many records are read one by one; more come with the archive.
const maxDelta = 500

// Sync reads what changed since the last time. An ecosystem that cannot be read does
// not keep the others from being read. Archives are written to the folder while they
// are read.
func (f *Feed) Sync(
	ctx context.Context, to StateStore, folder string, progress func(module.Progress),
) ([]Ecosystem, error) {
	names, err := f.Ecosystems(ctx)
	if err != nil {
		return nil, err
	}
	list := []Ecosystem{}
	var failed []error
	for i, name := range names {
		if _, ok := advisory.System(name); !ok || strings.Contains(name, ":") {
			continue // one of the ecosystems that are none of ours
		}
		progress(module.Progress{Done: int64(i), Total: int64(len(names)), Note: name})
		one := Ecosystem{Ecosystem: name}
		if err := f.sync(ctx, to, folder, &one); err != nil {
			if ctx.Err() != nil {
				return list, ctx.Err()
			}
			one.Was, one.Problem = "not read", err.Error()
			failed = append(failed, fmt.Errorf("read the advisories of %s: %w", name, err))
		}
		list = append(list, one)
	}
	progress(module.Progress{Done: int64(len(names)), Total: int64(len(names))})
	return list, errors.Join(failed...)
}

// sync reads the records that changed, or the whole archive where these are not known
// or many.
func (f *Feed) sync(ctx context.Context, to StateStore, folder string, report *Ecosystem) error {
	state, err := to.State(ctx, report.Ecosystem)
	if err != nil {
		return err
	}
	// A state that was never read is the beginning of time.
	since, _ := time.Parse(time.RFC3339Nano, state.Newest)
	ids, newest, err := f.Changes(ctx, report.Ecosystem, since)
	switch {
	case err != nil && !errors.Is(err, registry.ErrNotFound):
		return err
	case err != nil || since.IsZero() || len(ids) > maxDelta:
		err = f.syncArchive(ctx, to, folder, report, &state)
	default:
		if len(ids) > 0 {
			state.Newest = newest.UTC().Format(time.RFC3339Nano)
		}
		err = f.syncRecords(ctx, to, ids, report)
	}
	if err != nil {
		return err
	}
	return to.PutState(ctx, report.Ecosystem, state)
}

// syncRecords reads records one by one. One that is gone meanwhile, or that cannot
// be read, is passed over.
func (f *Feed) syncRecords(ctx context.Context, to Store, ids []string, report *Ecosystem) error {
	report.Was = "unchanged"
	var read Report
	for i := 0; i < len(ids); i += chunk {
		report.Was = "read by record"
		var list []*advisory.Advisory
		for _, id := range ids[i:min(i+chunk, len(ids))] {
			text, err := f.Record(ctx, report.Ecosystem, id)
			if err != nil && !errors.Is(err, registry.ErrNotFound) {
				return err
			}
			a, bad := advisory.Parse(text)
			if err != nil || bad != nil {
				report.Skipped++
				continue
			}
			list = append(list, a)
		}
		if err := read.store(ctx, to, list); err != nil {
			return err
		}
		report.Read, report.Changed = read.Read, read.Changed
	}
	return nil
}

// syncArchive reads the archive of an ecosystem, if it changed.
func (f *Feed) syncArchive(ctx context.Context, to Store, folder string, report *Ecosystem, state *State) error {
	file, err := os.CreateTemp(folder, ".advisories-*")
	if err != nil {
		return err
	}
	defer func() {
		_ = file.Close() // only read from by now
		_ = os.Remove(file.Name())
	}()
	report.Was = "unchanged"
	tag, err := f.Archive(ctx, report.Ecosystem, state.Tag, file)
	if errors.Is(err, registry.ErrNotModified) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return err
	}
	read := Report{newest: state.Newest}
	err = read.archive(ctx, archive, to, false, func(module.Progress) {})
	report.Was, report.Read, report.Changed, report.Skipped = "read by archive", read.Read, read.Changed, read.Skipped
	state.Tag, state.Newest = tag, read.newest
	return err
}
