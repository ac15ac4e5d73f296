package feed

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/registry"
)

// remote is a feed at an address.
type remote struct {
	get  Fetcher
	base registry.Address
}

func (r remote) ecosystems(ctx context.Context) ([]string, error) {
	text, err := r.read(ctx, "ecosystems.txt", maxRecord)
	if err != nil {
		return nil, fmt.Errorf("ecosystems.txt: %w", err)
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSpace(line); isName(name) {
			list = append(list, name)
		}
	}
	return list, nil
}

func (r remote) at(path string) string {
	folder, file, ok := strings.Cut(path, "/")
	if !ok {
		return r.base.Join(url.PathEscape(path))
	}
	return r.base.Join(url.PathEscape(folder) + "/" + url.PathEscape(file))
}

func (r remote) read(ctx context.Context, path string, most int64) ([]byte, error) {
	res, err := r.get.Get(ctx, registry.Request{URL: r.at(path), MaxBody: most})
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

const (
	// partSize is what is asked for of an archive at a time.
	partSize = 8 << 20
	// maxArchive bounds an archive, maxWhole one from a server that sends no parts.
	maxArchive = 2 << 30
	maxWhole   = 64 << 20
)

var errChanged = errors.New("the archive changed while it was read")

func (r remote) archive(ctx context.Context, path, state string, to Writer) (string, error) {
	tag := ""
	for from := int64(0); ; {
		q := registry.Request{
			URL: r.at(path), MaxBody: maxWhole, Range: fmt.Sprintf("bytes=%d-%d", from, from+partSize-1),
		}
		if from == 0 {
			q.ETag = state
		}
		res, err := r.get.Get(ctx, q)
		if err != nil {
			return "", err
		}
		if from > 0 && (res.ETag != tag || res.Part == "") {
			return "", errChanged
		}
		tag = res.ETag
		if _, err := to.WriteAt(res.Body, from); err != nil {
			return "", err
		}
		if res.Part == "" {
			return tag, nil
		}
		var first, last, size int64
		if _, err := fmt.Sscanf(res.Part, "bytes %d-%d/%d", &first, &last, &size); err != nil || first != from ||
			last-first+1 != int64(len(res.Body)) || size > maxArchive {
			return "", fmt.Errorf("the part %q is not the one that was asked for", res.Part)
		}
		if from = last + 1; from >= size {
			return tag, nil
		}
	}
}
