package packages

import (
	"bufio"
	"bytes"
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
)

// dumpHead is the first line of a portable dump. The lines behind it are
// packages in the catalog's JSON form.
type dumpHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Packages is how many follow, as far as known when the dump began.
	Packages int64 `json:"packages"`
}

const (
	dumpFormat  = "stoa packages"
	dumpVersion = 1
	// maxDumpHead and maxDumpLine bound the head and one package of a dump.
	maxDumpHead = 4096
	maxDumpLine = 256 << 20
	// shortDumpLine is what is decoded at once; of a longer line each version
	// is looked at before the next, since three bytes of text can ask for
	// hundreds of memory.
	shortDumpLine = 1 << 20
	// maxDumpVersion and maxDumpVersions bound one version and their number.
	maxDumpVersion  = 8 << 20
	maxDumpVersions = 200_000
	// dumpChunk is how many versions, at least, share a transaction.
	dumpChunk = 2000
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
			_ = f.Close()
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
	if err := out.Encode(dumpHead{dumpFormat, dumpVersion, total}); err != nil {
		return err
	}
	for after := int64(0); ; {
		list, err := packagesAfter(ctx, s.world.DB, after, 200)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, p := range list {
			after = p.id
			n, err := s.writeDumpLine(ctx, out, p)
			if err != nil {
				return err
			}
			report.Packages++
			report.Versions += n
		}
		progress(module.Progress{Done: report.Packages, Total: total})
	}
}

func (s *Service) writeDumpLine(ctx context.Context, out *json.Encoder, p numberedPackage) (int64, error) {
	rows, err := versionRows(ctx, s.world.DB, p.id)
	if err != nil {
		return 0, err
	}
	whole := catalog.Package{Key: p.key, Tag: p.tag}
	for i := range rows {
		v, err := rows[i].decode()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.key, err)
		}
		// Advisories are the importer's own business.
		v.Advisories = nil
		whole.Versions = append(whole.Versions, *v)
	}
	return int64(len(rows)), out.Encode(whole)
}

// openDump recognises a dump, compressed or not, and reads its head. The
// reader stands before the first package.
func openDump(f io.Reader) (*bufio.Reader, dumpHead, bool, error) {
	var head dumpHead
	r := bufio.NewReaderSize(f, 1<<20)
	if magic, err := r.Peek(2); err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, head, false, err
		}
		r = bufio.NewReaderSize(z, 1<<20)
	}
	first, err := r.Peek(len(`{"format":"` + dumpFormat))
	if err != nil || string(first) != `{"format":"`+dumpFormat {
		return r, head, false, nil
	}
	line, err := readLine(r, maxDumpHead)
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	if err == nil && head.Version != dumpVersion {
		err = fmt.Errorf("the dump is of version %d; this program reads version %d", head.Version, dumpVersion)
	}
	return r, head, true, err
}

// dumpPart is some packages of a dump that are stored together. packages and
// versions count from the beginning of the file.
type dumpPart struct {
	list               []*catalog.Package
	size               int
	packages, versions int64
	err                error
}

// importDump stores the packages of a dump, many versions to a transaction.
// skip packages are passed over: an earlier run stored them. One part is read
// while the one before it is written.
func (s *Service) importDump(
	ctx context.Context, r *bufio.Reader, skip int64, done func(packages, versions int64) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	parts := make(chan dumpPart, 1)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(parts)
		readParts(ctx, r, skip, parts)
	})
	defer reader.Wait()
	defer cancel()
	for part := range parts {
		err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			var w pending
			for _, p := range part.list {
				if err := s.stage(ctx, tx, p, origin{}, &w); err != nil {
					return fmt.Errorf("%s: %w", p.Key, err)
				}
			}
			return w.flush(ctx, tx)
		})
		if err == nil && len(part.list) > 0 {
			err = done(part.packages, part.versions)
		}
		if err = errors.Join(err, part.err); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// readParts reads a dump to its end, its first fault or the end of ctx.
func readParts(ctx context.Context, r *bufio.Reader, skip int64, parts chan<- dumpPart) {
	var part dumpPart
	send := func() bool {
		select {
		case parts <- part:
			part.list, part.size = nil, 0
			return true
		case <-ctx.Done():
			return false
		}
	}
	for {
		line, err := readLine(r, maxDumpLine)
		if err == nil {
			part.packages++
			if part.packages <= skip {
				continue
			}
			err = part.add(line)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				part.err = err
			}
			send()
			return
		}
		if part.size >= dumpChunk && !send() {
			return
		}
	}
}

func (part *dumpPart) add(line []byte) error {
	p, err := parseDumpLine(line)
	if err != nil {
		return fmt.Errorf("package %d of the dump: %w", part.packages, err)
	}
	part.list = append(part.list, p)
	part.size += len(p.Versions) + 1
	part.versions += int64(len(p.Versions))
	return nil
}

// parseDumpLine reads one package and holds it to the rules of the store, as
// a dump may come from anywhere.
func parseDumpLine(line []byte) (*catalog.Package, error) {
	p := &catalog.Package{}
	if len(line) > shortDumpLine {
		if err := decodeLong(line, p); err != nil {
			return nil, err
		}
	} else if err := json.Unmarshal(line, p); err != nil {
		return nil, err
	}
	p.Key = p.Key.Canonical()
	if err := p.Key.Check(); err != nil {
		return nil, err
	}
	for i := range p.Versions {
		v := &p.Versions[i]
		v.Key = p.Key.At(catalog.CanonicalVersion(p.Key.System, v.Key.Version))
		if err := v.Check(); err != nil {
			return nil, err
		}
		if p.Key.System == catalog.Go {
			// The contract has no registries for modules.
			v.Registries = nil
		}
	}
	return p, nil
}

// decodeLong decodes the line of a large package version by version.
func decodeLong(line []byte, p *catalog.Package) error {
	var outer struct {
		Key      catalog.PackageKey `json:"key"`
		Tag      string             `json:"tag"`
		Versions json.RawMessage    `json:"versions"`
	}
	if err := json.Unmarshal(line, &outer); err != nil {
		return err
	}
	p.Key, p.Tag = outer.Key, outer.Tag
	list := json.NewDecoder(bytes.NewReader(outer.Versions))
	if _, err := list.Token(); err != nil {
		return err
	}
	for list.More() {
		var text json.RawMessage
		if err := list.Decode(&text); err != nil {
			return err
		}
		if len(text) > maxDumpVersion || len(p.Versions) == maxDumpVersions {
			return fmt.Errorf("%s is too large: at most %d versions of %d MB each", p.Key, maxDumpVersions,
				maxDumpVersion>>20)
		}
		var v catalog.Version
		if err := json.Unmarshal(text, &v); err != nil {
			return err
		}
		if v.Key.Version == "" {
			return fmt.Errorf("%s has a version without a name", p.Key)
		}
		p.Versions = append(p.Versions, v)
	}
	return nil
}

// readLine reads a line of at most so many bytes.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
			return nil, errors.New("a line of the dump is too long")
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
