package feed

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages/advisory"
)

// Store keeps records.
type Store interface {
	// Advisories stores records and tells how many changed.
	Advisories(ctx context.Context, list []*advisory.Advisory) (changed int64, err error)
}

// Report says what was read.
type Report struct {
	Read    int64 `json:"read"`
	Changed int64 `json:"changed"`
	// Skipped files are no records; Bad are the first of those that ought to be.
	Skipped int64       `json:"skipped"`
	Bad     []BadRecord `json:"bad,omitempty"`
	// newest is when the record changed that changed last.
	newest string
}

// BadRecord is a record that cannot be read.
type BadRecord struct {
	Number int    `json:"number"`
	Record string `json:"record"`
	Reason string `json:"reason"`
}

const (
	// chunk is how many records are stored at a time.
	chunk = 100
	// maxBad is how many records that cannot be read are told one by one.
	maxBad = 100
)

// ReadArchive stores the records of an archive. One that cannot be read is reported
// and passed over, unless strict.
func ReadArchive(
	ctx context.Context, archive *zip.Reader, to Store, strict bool, progress func(module.Progress),
) (r Report, err error) {
	return r, r.archive(ctx, archive, to, strict, progress)
}

func (r *Report) archive(
	ctx context.Context, archive *zip.Reader, to Store, strict bool, progress func(module.Progress),
) error {
	var list []*advisory.Advisory
	for i, f := range archive.File {
		if !strings.HasSuffix(f.Name, ".json") {
			r.Skipped++
			continue
		}
		a, err := readArchived(f)
		if err != nil {
			if err := r.skip(BadRecord{i + 1, f.Name, err.Error()}, strict); err != nil {
				return err
			}
			continue
		}
		if list = append(list, a); len(list) == chunk {
			if err := r.store(ctx, to, list); err != nil {
				return err
			}
			list = list[:0]
			progress(module.Progress{Done: int64(i + 1), Total: int64(len(archive.File))})
		}
	}
	err := r.store(ctx, to, list)
	progress(module.Progress{Done: int64(len(archive.File)), Total: int64(len(archive.File))})
	return err
}

// skip notes a record that cannot be read.
func (r *Report) skip(bad BadRecord, strict bool) error {
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

func (r *Report) store(ctx context.Context, to Store, list []*advisory.Advisory) error {
	changed, err := to.Advisories(ctx, list)
	if err != nil {
		return err
	}
	for _, a := range list {
		if a.After(r.newest) {
			r.newest = a.Modified
		}
	}
	r.Read += int64(len(list))
	r.Changed += changed
	return nil
}

func readArchived(f *zip.File) (*advisory.Advisory, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read from
	return ReadRecord(r)
}

// ReadRecord reads one record.
func ReadRecord(r io.Reader) (*advisory.Advisory, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxRecord+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxRecord {
		return nil, fmt.Errorf("the record is larger than %d MB", maxRecord>>20)
	}
	return advisory.Parse(text)
}
