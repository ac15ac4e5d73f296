package dump

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Head is the first line of a portable dump. The lines behind it are
// packages in the catalog's JSON form.
type Head struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Packages is how many follow, as far as known when the dump began.
	Packages int64 `json:"packages"`
}

// NewHead is the head of a dump of so many packages.
func NewHead(packages int64) Head { return Head{format, version, packages} }

const (
	format  = "stoa packages"
	version = 1
	// maxHead and maxLine bound the head and one package.
	maxHead = 4096
	maxLine = 256 << 20
	// shortLine is what is decoded at once; of a longer line each version
	// is looked at before the next, since three bytes of text can ask for
	// hundreds of memory.
	shortLine = 1 << 20
	// maxVersion and maxVersions bound one version and their number.
	maxVersion  = 8 << 20
	maxVersions = 200_000
	// chunk is how many versions, at least, share a transaction.
	chunk = 2000
)

// Open recognises a dump, compressed or not, and reads its head. The
// reader stands before the first package.
func Open(f io.Reader) (*bufio.Reader, Head, bool, error) {
	var head Head
	r := bufio.NewReaderSize(f, 1<<20)
	if magic, err := r.Peek(2); err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, head, false, err
		}
		r = bufio.NewReaderSize(z, 1<<20)
	}
	first, err := r.Peek(len(`{"format":"` + format))
	if err != nil || string(first) != `{"format":"`+format {
		return r, head, false, nil
	}
	line, err := readLine(r, maxHead)
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	if err == nil && head.Version != version {
		err = fmt.Errorf("the dump is of version %d; this program reads version %d", head.Version, version)
	}
	return r, head, true, err
}

// Fault is a line that cannot be read.
type Fault struct {
	Line   int64  `json:"line"`
	Reason string `json:"reason"`
}

// Part is some packages of a dump that are stored together. Packages and
// Versions count from the beginning of the file.
type Part struct {
	List               []*catalog.Package
	Packages, Versions int64
	// Faults are the lines among them that are passed over.
	Faults []Fault
	// Err is why there are no further parts.
	Err  error
	size int
}

// Read reads a dump to its end or the end of ctx. The first skip packages are
// passed over.
func Read(ctx context.Context, r *bufio.Reader, skip int64, parts chan<- Part) {
	var part Part
	send := func() bool {
		select {
		case parts <- part:
			part.List, part.Faults, part.size = nil, nil, 0
			return true
		case <-ctx.Done():
			return false
		}
	}
	for {
		line, err := readLine(r, maxLine)
		if err == nil {
			part.Packages++
			if part.Packages <= skip {
				continue
			}
			part.add(line)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				part.Err = err
			}
			send()
			return
		}
		if part.size >= chunk && !send() {
			return
		}
	}
}

func (part *Part) add(line []byte) {
	p, err := ParseLine(line)
	part.size++
	if err != nil {
		// The head is the first line.
		part.Faults = append(part.Faults, Fault{Line: part.Packages + 1, Reason: err.Error()})
		return
	}
	part.List = append(part.List, p)
	part.size += len(p.Versions)
	part.Versions += int64(len(p.Versions))
}

// ParseLine reads one package and holds it to the rules of the store, as
// a dump may come from anywhere.
func ParseLine(line []byte) (*catalog.Package, error) {
	p := &catalog.Package{}
	if len(line) > shortLine {
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
		if len(text) > maxVersion || len(p.Versions) == maxVersions {
			return fmt.Errorf("%s is too large: at most %d versions of %d MB each", p.Key, maxVersions,
				maxVersion>>20)
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
