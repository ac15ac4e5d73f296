package unpack_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http/httptest"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
	"stoa.dev/stoa/internal/service/snapshots/unpack"
)

// A body is unpacked to at most what is allowed, or refused in our words,
// whatever its coding says.
func FuzzUnpack(f *testing.F) {
	text := bytes.Repeat([]byte("series "), 50)
	fuzztest.Add(f, "", text)
	fuzztest.Add(f, "gzip", packWith(f, text, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }))
	fuzztest.Add(f, "deflate", packWith(f, text, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }))
	fuzztest.Add(f, "zstd", packWith(f, text, func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			f.Fatal(err)
		}
		return z
	}))
	fuzztest.Add(f, "snappy", snappy.Encode(nil, text))
	fuzztest.Add(f, "snappy", []byte("\xff\xff\xff\xff\x0f"))
	fuzztest.Add(f, "gzip", packWith(f, make([]byte, 1<<16), func(w io.Writer) io.WriteCloser {
		return gzip.NewWriter(w)
	}))
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		const most = 4096
		r := &route.Request{Request: httptest.NewRequest("POST", "/", bytes.NewReader(body))}
		out, err := unpack.Body(r, most, coding)
		if len(out) > most {
			t.Errorf("unpacked to %d bytes", len(out))
		}
		var bad *refusal.Error
		if err != nil && !errors.As(err, &bad) && !errors.Is(err, wire.ErrTooLarge) &&
			!errors.Is(err, wire.ErrMediaType) {
			t.Errorf("%s: got %T %v, want an error of ours", coding, err, err)
		}
	})
}

func packWith(f *testing.F, text []byte, pack func(io.Writer) io.WriteCloser) []byte {
	f.Helper()
	var b bytes.Buffer
	z := pack(&b)
	if _, err := z.Write(text); err != nil {
		f.Fatal(err)
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}
