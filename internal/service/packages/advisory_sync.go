package packages

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/feed"
)

// feedReport says what a round of reading advisories did.
type feedReport struct {
	From       string            `json:"from"`
	Ecosystems []ecosystemReport `json:"ecosystems"`
}

// ecosystemReport is what was read of one ecosystem: its archive, the records that
// changed, or nothing.
type ecosystemReport struct {
	Ecosystem string `json:"ecosystem"`
	Was       string `json:"was"`
	Read      int64  `json:"read"`
	Changed   int64  `json:"changed"`
	Skipped   int64  `json:"skipped,omitempty"`
	Problem   string `json:"problem,omitempty"`
}

// maxDelta is how many records are read one by one; more come with the archive.
const maxDelta = 500

// SyncAdvisories reads what changed of the advisories since the last time. An
// ecosystem that cannot be read does not keep the others from being read.
func (s *Service) SyncAdvisories(ctx context.Context, progress func(module.Progress)) (feedReport, error) {
	from, source, err := s.feed()
	report := feedReport{From: from, Ecosystems: []ecosystemReport{}}
	if err != nil {
		return report, err
	}
	names, err := source.Ecosystems(ctx)
	if err != nil {
		return report, fmt.Errorf("read the advisories at %s: %w", from, err)
	}
	var failed []error
	for i, name := range names {
		if _, ok := advisory.System(name); !ok || strings.Contains(name, ":") {
			continue // one of the ecosystems that are none of ours
		}
		progress(module.Progress{Done: int64(i), Total: int64(len(names)), Note: name})
		one := ecosystemReport{Ecosystem: name}
		if err := s.syncEcosystem(ctx, source, from, &one); err != nil {
			if ctx.Err() != nil {
				return report, ctx.Err()
			}
			one.Was, one.Problem = "not read", err.Error()
			failed = append(failed, fmt.Errorf("read the advisories of %s: %w", name, err))
		}
		report.Ecosystems = append(report.Ecosystems, one)
	}
	progress(module.Progress{Done: int64(len(names)), Total: int64(len(names))})
	return report, errors.Join(failed...)
}

// feed is where the configuration has the advisories, and its name without
// credentials.
func (s *Service) feed() (string, *feed.Feed, error) {
	from := s.config.Advisories.From
	if from == "" {
		return "", nil, module.Fail(module.Usage, "set packages.advisories.from to an address or a folder",
			"no source of advisories is configured")
	}
	if !s.config.Advisories.remote() {
		return from, feed.In(from), nil
	}
	at, err := registry.NewAddress("osv", from, "packages.advisories.from")
	if err != nil {
		return "", nil, err
	}
	s.sources.client.Trust(at)
	return at.URL, feed.At(s.sources.client, at), nil
}

// syncEcosystem reads the records that changed, or the whole archive where these
// are not known or many.
func (s *Service) syncEcosystem(ctx context.Context, source *feed.Feed, from string, report *ecosystemReport) error {
	state, err := findFeed(ctx, s.world.DB, from, report.Ecosystem)
	if _, err = none(err); err != nil {
		return err
	}
	// A state that was never read is the beginning of time.
	since, _ := time.Parse(time.RFC3339Nano, state.newest)
	ids, newest, err := source.Changes(ctx, report.Ecosystem, since)
	switch {
	case err != nil && !errors.Is(err, registry.ErrNotFound):
		return err
	case err != nil || since.IsZero() || len(ids) > maxDelta:
		err = s.syncArchive(ctx, source, report, &state)
	default:
		if len(ids) > 0 {
			state.newest = newest.UTC().Format(time.RFC3339Nano)
		}
		err = s.syncRecords(ctx, source, ids, report)
	}
	if err != nil {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return putFeed(ctx, tx, from, report.Ecosystem, state)
	})
}

// syncRecords reads records one by one. One that is gone meanwhile, or that cannot
// be read, is passed over.
func (s *Service) syncRecords(ctx context.Context, source *feed.Feed, ids []string, report *ecosystemReport) error {
	report.Was = "unchanged"
	var read advisoriesReport
	for i := 0; i < len(ids); i += advisoryChunk {
		report.Was = "read by record"
		var list []*advisory.Advisory
		for _, id := range ids[i:min(i+advisoryChunk, len(ids))] {
			text, err := source.Record(ctx, report.Ecosystem, id)
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
		if err := s.importAdvisories(ctx, list, &read); err != nil {
			return err
		}
		report.Read, report.Changed = read.Read, read.Changed
	}
	return nil
}

// syncArchive reads the archive of an ecosystem, if it changed.
func (s *Service) syncArchive(
	ctx context.Context, source *feed.Feed, report *ecosystemReport, state *feedState,
) error {
	file, err := os.CreateTemp(s.world.Dir, ".advisories-*")
	if err != nil {
		return err
	}
	defer func() {
		_ = file.Close() // only read from by now
		_ = os.Remove(file.Name())
	}()
	report.Was = "unchanged"
	tag, err := source.Archive(ctx, report.Ecosystem, state.tag, file)
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
	read := advisoriesReport{newest: state.newest}
	err = s.importArchive(ctx, archive, false, func(module.Progress) {}, &read)
	report.Was, report.Read, report.Changed, report.Skipped = "read by archive", read.Read, read.Changed, read.Skipped
	state.tag, state.newest = tag, read.newest
	return err
}
