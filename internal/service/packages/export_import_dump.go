package packages

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/dump"
)

// exportReport says what an export wrote.
type exportReport struct {
	File     string `json:"file"`
	Packages int64  `json:"packages"`
	Versions int64  `json:"versions"`
}

// Export writes every package to a file, compressed when its name ends in
// ".gz". The file appears under its name when it is whole.
func (s *Service) Export(
	ctx context.Context, name string, progress func(module.Progress),
) (report exportReport, err error) {
	report.File = name
	f, err := os.CreateTemp(filepath.Dir(name), ".stoa-export-*")
	if err != nil {
		return report, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // err says what failed
			_ = os.Remove(f.Name())
		}
	}()
	var out io.Writer = f
	closing := func() error { return nil }
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(f)
		out, closing = z, z.Close
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	if err = s.writeDump(ctx, json.NewEncoder(buffered), &report, progress); err != nil {
		return report, err
	}
	if err = errors.Join(buffered.Flush(), closing(), f.Sync(), f.Close()); err != nil {
		return report, err
	}
	return report, os.Rename(f.Name(), name)
}

func (s *Service) writeDump(
	ctx context.Context, out *json.Encoder, report *exportReport, progress func(module.Progress),
) error {
	total, _, err := counts(ctx, s.world.DB)
	if err != nil {
		return err
	}
	if err := out.Encode(dump.NewHead(total)); err != nil {
		return err
	}
	return s.eachPackage(ctx, func(p catalog.Package) error {
		report.Packages, report.Versions = report.Packages+1, report.Versions+int64(len(p.Versions))
		if report.Packages%200 == 0 || report.Packages == total {
			progress(module.Progress{Done: report.Packages, Total: total})
		}
		return out.Encode(p)
	})
}

// eachPackage hands out all that is kept, without advisories: they are the reader's own business.
func (s *Service) eachPackage(ctx context.Context, take func(catalog.Package) error) error {
	for after := int64(0); ; {
		list, err := packagesAfter(ctx, s.world.DB, after, 200)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, p := range list {
			after = p.id
			if err := s.takePackage(ctx, p, take); err != nil {
				return fmt.Errorf("%s: %w", p.key, err)
			}
		}
	}
}

func (s *Service) takePackage(ctx context.Context, p numberedPackage, take func(catalog.Package) error) error {
	rows, err := versionRows(ctx, s.world.DB, p.id)
	whole := catalog.Package{Key: p.key, Tag: p.tag, Versions: make([]catalog.Version, len(rows))}
	for i := range rows {
		v, failed := rows[i].decode()
		if failed != nil {
			return failed
		}
		v.Advisories = nil
		whole.Versions[i] = *v
	}
	if err != nil {
		return err
	}
	return take(whole)
}

// importDump stores the packages of a dump, many versions to a transaction.
// skip packages are passed over: an earlier run stored them. One part is read
// while the one before it is written.
func (s *Service) importDump(ctx context.Context, r *bufio.Reader, skip int64, done func(dump.Part) error) error {
	ctx, cancel := context.WithCancel(ctx)
	parts := make(chan dump.Part, 1)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(parts)
		dump.Read(ctx, r, skip, parts)
	})
	defer reader.Wait()
	defer cancel()
	for part := range parts {
		err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			var w writeBuffer
			for _, p := range part.List {
				if err := s.stage(ctx, tx, p, origin{}, &w); err != nil {
					return fmt.Errorf("%s: %w", p.Key, err)
				}
			}
			return w.flush(ctx, tx)
		})
		if err == nil && len(part.List)+len(part.Faults) > 0 {
			err = done(part)
		}
		if err = errors.Join(err, part.Err); err != nil {
			return err
		}
	}
	return ctx.Err()
}
