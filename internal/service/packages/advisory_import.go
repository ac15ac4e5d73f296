package packages

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages/advisory"
)

// advisoriesReport says what an import of advisories did.
type advisoriesReport struct {
	File    string `json:"file"`
	Read    int64  `json:"read"`
	Changed int64  `json:"changed"`
	// Skipped files are no records; Bad are the first of those that ought to be.
	Skipped int64       `json:"skipped"`
	Bad     []badRecord `json:"bad,omitempty"`
	// newest is when the record changed that changed last.
	newest string
}

// badRecord is a record that cannot be read.
type badRecord struct {
	Number int    `json:"number"`
	Record string `json:"record"`
	Reason string `json:"reason"`
}

const (
	// maxAdvisory bounds one record.
	maxAdvisory = 16 << 20
	// advisoryChunk is how many records share a transaction.
	advisoryChunk = 100
)

// ImportAdvisories reads OSV records from a JSON file or a zip archive of
// them and marks the versions they affect. Records stored already are passed
// over, so that a cut import goes on by being started again. A record of an archive
// that cannot be read is reported and passed over, unless the import is strict.
func (s *Service) ImportAdvisories(
	ctx context.Context, name string, strict bool, progress func(module.Progress),
) (advisoriesReport, error) {
	report := advisoriesReport{File: name}
	if !strings.HasSuffix(name, ".zip") {
		f, err := os.Open(name)
		if err != nil {
			return report, module.Fail(module.NotFound, "name a file that exists", "cannot read %s: %v", name, err)
		}
		defer func() { _ = f.Close() }() // only read from
		a, err := readAdvisory(f)
		if err != nil {
			return report, fmt.Errorf("%s: %w", name, err)
		}
		err = s.importAdvisories(ctx, []*advisory.Advisory{a}, &report)
		return report, err
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return report, module.Fail(module.NotFound, "name a zip archive of OSV records", "cannot read %s: %v", name,
			err)
	}
	defer func() { _ = archive.Close() }() // only read from
	return report, s.importArchive(ctx, &archive.Reader, strict, progress, &report)
}

// importArchive reads the records of an archive.
func (s *Service) importArchive(
	ctx context.Context, archive *zip.Reader, strict bool, progress func(module.Progress), report *advisoriesReport,
) error {
	var list []*advisory.Advisory
	for i, f := range archive.File {
		if !strings.HasSuffix(f.Name, ".json") {
			report.Skipped++
			continue
		}
		a, err := readArchived(f)
		if err != nil {
			if err := report.skip(badRecord{i + 1, f.Name, err.Error()}, strict); err != nil {
				return err
			}
			continue
		}
		if list = append(list, a); len(list) == advisoryChunk {
			if err := s.importAdvisories(ctx, list, report); err != nil {
				return err
			}
			list = list[:0]
			progress(module.Progress{Done: int64(i + 1), Total: int64(len(archive.File))})
		}
	}
	err := s.importAdvisories(ctx, list, report)
	progress(module.Progress{Done: int64(len(archive.File)), Total: int64(len(archive.File))})
	return err
}

// skip notes a record that cannot be read. A strict import ends there.
func (r *advisoriesReport) skip(bad badRecord, strict bool) error {
	if strict {
		return module.Fail(module.Usage, "mend the record, or leave out --strict to pass over such records",
			"record %d, %s: %s", bad.Number, bad.Record, bad.Reason)
	}
	r.Skipped++
	if len(r.Bad) < maxBad {
		r.Bad = append(r.Bad, bad)
	}
	return nil
}

func (s *Service) importAdvisories(ctx context.Context, list []*advisory.Advisory, report *advisoriesReport) error {
	changed, err := s.storeAdvisories(ctx, list)
	if err != nil {
		return err
	}
	for _, a := range list {
		if a.After(report.newest) {
			report.newest = a.Modified
		}
	}
	report.Read += int64(len(list))
	report.Changed += changed
	return nil
}

func readArchived(f *zip.File) (*advisory.Advisory, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read from
	return readAdvisory(r)
}

func readAdvisory(r io.Reader) (*advisory.Advisory, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxAdvisory+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxAdvisory {
		return nil, fmt.Errorf("the record is larger than %d MB", maxAdvisory>>20)
	}
	return advisory.Parse(text)
}
