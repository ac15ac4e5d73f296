package packages

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
	"stoa.dev/stoa/internal/service/packages/feed"
)

// GetAdvisory is the document of an advisory, by its id or an alias.
func (s *Service) GetAdvisory(ctx context.Context, id string) ([]byte, error) {
	if !advisory.IsID(id) {
		return nil, errInvalid("the advisory id is not one")
	}
	doc, err := findAdvisory(ctx, s.world.DB, id)
	if missing, err := none(err); missing || err != nil {
		return nil, orNotFound(err, "advisory")
	}
	return doc, nil
}

// storeAdvisories writes advisories, except those that are stored in the same
// or a later state, and marks the versions of every package they name or used
// to name. It tells how many changed.
func (s *Service) storeAdvisories(ctx context.Context, list []*advisory.Advisory) (changed int64, err error) {
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		changed = 0
		var touched []catalog.PackageKey
		for _, a := range list {
			before, wrote, err := s.storeAdvisory(ctx, tx, a)
			if err != nil {
				return fmt.Errorf("%s: %w", a.ID, err)
			}
			if wrote {
				changed++
				touched = slices.AppendSeq(append(touched, before...), maps.Keys(a.Affected))
			}
		}
		return s.remark(ctx, tx, touched)
	})
	return changed, err
}

// storeAdvisory writes one advisory. before is the packages it used to name.
func (s *Service) storeAdvisory(
	ctx context.Context, tx *database.Tx, a *advisory.Advisory,
) (before []catalog.PackageKey, wrote bool, err error) {
	have, err := advisoryModified(ctx, tx, a.ID)
	missing, err := none(err)
	if err != nil || !missing && !a.After(have) {
		return nil, false, err
	}
	if before, err = affectedPackages(ctx, tx, a.ID); err != nil {
		return nil, false, err
	}
	doc, err := document.Marshal(toAdvisoryJSON(a))
	if err != nil {
		return nil, false, err
	}
	return before, true, putAdvisory(ctx, tx, a, doc)
}

// remark writes the packages again, so that their versions name the
// advisories that now apply.
func (s *Service) remark(ctx context.Context, tx *database.Tx, keys []catalog.PackageKey) error {
	// Always in the same order, so that two imports do not wait for each other.
	slices.SortFunc(keys, func(a, b catalog.PackageKey) int {
		return cmp.Or(cmp.Compare(a.System, b.System), cmp.Compare(a.Name, b.Name))
	})
	for _, k := range slices.Compact(keys) {
		if _, err := findPackage(ctx, tx, k); err != nil {
			if missing, err := none(err); !missing {
				return err
			}
			continue
		}
		if err := s.upsert(ctx, tx, &catalog.Package{Key: k}, origin{}); err != nil {
			return err
		}
	}
	return nil
}

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
