package packages

import (
	"archive/zip"
	"context"
	"fmt"
	"os"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/feed"
)

// feedReport says what a round of reading advisories did.
type feedReport struct {
	From       string           `json:"from"`
	Ecosystems []feed.Ecosystem `json:"ecosystems"`
}

// SyncAdvisories reads what changed of the advisories since the last time.
func (s *Service) SyncAdvisories(ctx context.Context, progress func(module.Progress)) (feedReport, error) {
	from, source, err := s.feed()
	if err != nil {
		return feedReport{}, err
	}
	list, err := source.Sync(ctx, advisoryStore{s, from}, s.world.Dir, progress)
	if err != nil {
		err = fmt.Errorf("read the advisories at %s: %w", from, err)
	}
	return feedReport{from, list}, err
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

// advisoriesReport says what an import of advisories did.
type advisoriesReport struct {
	File string `json:"file"`
	feed.Report
}

// ImportAdvisories reads OSV records from a JSON file or a zip archive of
// them and marks the versions they affect. Records stored already are passed
// over, so that a cut import goes on by being started again.
func (s *Service) ImportAdvisories(
	ctx context.Context, name string, strict bool, progress func(module.Progress),
) (advisoriesReport, error) {
	report := advisoriesReport{File: name}
	if strings.HasSuffix(name, ".zip") {
		archive, err := zip.OpenReader(name)
		if err != nil {
			return report, module.Fail(module.NotFound, "name a zip archive of OSV records", "cannot read %s: %v", name,
				err)
		}
		defer func() { _ = archive.Close() }() // only read from
		report.Report, err = feed.ReadArchive(ctx, &archive.Reader, advisoryStore{s, name}, strict, progress)
		return report, err
	}
	f, err := os.Open(name)
	if err != nil {
		return report, module.Fail(module.NotFound, "name a file that exists", "cannot read %s: %v", name, err)
	}
	defer func() { _ = f.Close() }() // only read from
	a, err := feed.ReadRecord(f)
	if err != nil {
		return report, fmt.Errorf("%s: %w", name, err)
	}
	report.Read = 1
	report.Changed, err = s.storeAdvisories(ctx, []*advisory.Advisory{a})
	return report, err
}
