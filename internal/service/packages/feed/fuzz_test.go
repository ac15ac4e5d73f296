package feed_test

import (
	"archive/zip"
	"bytes"
	"context"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/feed"
)

// counter is a store that keeps nothing.
type counter struct{ stored int64 }

func (c *counter) Advisories(_ context.Context, list []*advisory.Advisory) (int64, error) {
	c.stored += int64(len(list))
	return int64(len(list)), nil
}

// FuzzArchive: of any archive every file is stored or told as skipped.
func FuzzArchive(f *testing.F) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, text := range map[string]string{"X-1.json": `{"id":"X-1"}`, "bad.json": "{", "README": "text"} {
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	fuzztest.Bytes(f, packed.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		to := &counter{}
		r, err := feed.ReadArchive(t.Context(), archive, to, false, func(module.Progress) {})
		if err != nil {
			t.Fatal(err)
		}
		if r.Read != to.stored || r.Read+r.Skipped != int64(len(archive.File)) {
			t.Errorf("%d files: read %d, skipped %d, stored %d", len(archive.File), r.Read, r.Skipped, to.stored)
		}
	})
}
