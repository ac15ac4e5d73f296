package feed

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/registry"
)

const (
	// maxList bounds a list of changes, maxRecord one record.
	maxList   = 64 << 20
	maxRecord = 16 << 20
)

// Feed is a collection of records.
type Feed struct{ from place }

// place is where a feed lies.
type place interface {
	// ecosystems are the names of the folders.
	ecosystems(ctx context.Context) ([]string, error)
	// read is a small file; one that is not there is registry.ErrNotFound.
	read(ctx context.Context, path string, most int64) ([]byte, error)
	// archive writes a large file unless its state is the given one, in which
	// case it is registry.ErrNotModified. It returns the new state.
	archive(ctx context.Context, path, state string, to Writer) (string, error)
}

// Fetcher is the part of registry.Client that is used.
type Fetcher interface {
	Get(ctx context.Context, r registry.Request) (*registry.Response, error)
}

// At is the feed at an address.
func At(get Fetcher, base registry.Address) *Feed { return &Feed{remote{get, base}} }

// In is the feed in a folder.
func In(folder string) *Feed { return &Feed{local{folder}} }

// Ecosystems are the names of the ecosystems that the feed has.
func (f *Feed) Ecosystems(ctx context.Context) ([]string, error) { return f.from.ecosystems(ctx) }

// Changes are the records of an ecosystem that changed after a time, and when the
// last of them did. A feed without a list of changes is registry.ErrNotFound.
func (f *Feed) Changes(
	ctx context.Context, ecosystem string, after time.Time,
) (ids []string, newest time.Time, err error) {
	text, err := f.from.read(ctx, ecosystem+"/modified_id.csv", maxList)
	if err != nil {
		return nil, newest, err
	}
	number := 0
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		stamp, id, _ := strings.Cut(line, ",")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err != nil || !isName(id) {
			return nil, newest, fmt.Errorf("line %d of the changes of %s cannot be read", number, ecosystem)
		}
		if at.After(newest) {
			newest = at
		}
		if at.After(after) {
			ids = append(ids, id)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, newest, fmt.Errorf("line %d of the changes of %s cannot be read: %w", number+1, ecosystem, err)
	}
	return ids, newest, nil
}

// Record is one record of an ecosystem.
func (f *Feed) Record(ctx context.Context, ecosystem, id string) ([]byte, error) {
	return f.from.read(ctx, ecosystem+"/"+id+".json", maxRecord)
}

// Writer is a file that an archive is written to.
type Writer interface {
	WriteAt(b []byte, at int64) (int, error)
}

// Archive writes the archive of an ecosystem unless it is in the given state still:
// then the error is registry.ErrNotModified. It returns the archive's state.
func (f *Feed) Archive(ctx context.Context, ecosystem, state string, to Writer) (string, error) {
	return f.from.archive(ctx, ecosystem+"/all.zip", state, to)
}

// isName reports whether a text can be the name of a file in the feed.
func isName(text string) bool {
	return text != "" && len(text) <= 200 && !strings.ContainsAny(text, "/\\\x00") && text != "." && text != ".."
}
