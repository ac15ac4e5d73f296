package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"stoa.dev/stoa/internal/platform/registry"
)

// What an answer becomes is weighed before it is made: an empty object takes
// three bytes of a list and hundreds in memory.
const (
	// valueWeight is how many bytes of memory a value of a JSON text stands for.
	valueWeight = 160
	// elementWeight is the same for an element of an XML or HTML text.
	elementWeight = 384
	// versionWeight is the same for a version of a package.
	versionWeight = 1024
	// lineWeight is the same for a line of a go.mod.
	lineWeight = 512
	// entryWeight is the same for an entry of a zip archive.
	entryWeight = 512

	// maxVersions is more than any package has.
	maxVersions = 100_000
	// maxEntries is more than any module zip has.
	maxEntries = 200_000
)

// values counts what a JSON text holds: members, elements, and the objects and
// arrays that hold them. The text need not be well-formed.
func values(text []byte) int64 {
	var n int64
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[', ',':
			n++
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return n
}

// decode reads a JSON text after memory was taken for it.
func (o origin) decode(ctx context.Context, body []byte, what string, dst any) error {
	if err := registry.Charge(ctx, values(body)*valueWeight); err != nil {
		return err
	}
	if err := json.Unmarshal(body, dst); err != nil {
		return o.garbage(what, err)
	}
	return nil
}

// chargeMarkup takes memory for the elements of an XML or HTML text.
func chargeMarkup(ctx context.Context, body []byte) error {
	return registry.Charge(ctx, int64(bytes.Count(body, []byte("<")))*elementWeight)
}

// chargeVersions takes memory for the versions that are about to be made, and
// refuses more than any package has.
func (o origin) chargeVersions(ctx context.Context, n int) error {
	if n > maxVersions {
		return o.garbage("version list", errors.New("too many versions"))
	}
	return registry.Charge(ctx, int64(n)*versionWeight)
}

// lines is how many lines a text has at most.
func lines(body []byte) int { return bytes.Count(body, []byte("\n")) + 1 }

// whileWanted ends reading when no caller waits any more: unpacking goes on for
// long from few bytes.
type whileWanted struct {
	ctx context.Context
	r   io.Reader
}

func (w whileWanted) Read(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(b)
}
