package unpack

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

const (
	// inflatedWeight is what a byte that was unpacked takes: the buffer, and the
	// one it grew out of.
	inflatedWeight = 2
	// zstdWindow is how far back a packed body may refer; it is held in memory.
	zstdWindow = 8 << 20
)

// Memory takes memory of the request's own grant, which is given back when it
// is answered.
func Memory(r *route.Request) metrics.ReserveMemory {
	if w, ok := r.Body.(wire.Weigher); ok {
		return w.Weigh
	}
	return nil
}

// inflating takes memory for what a body is unpacked to, as it grows.
type inflating struct {
	io.Reader
	reserve metrics.ReserveMemory
}

// Read refuses what the budget does not cover.
func (i inflating) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if refused := i.reserve.Weigh(inflatedWeight * int64(n)); refused != nil {
		return 0, refused
	}
	return n, err
}

// Body unpacks the body of a request to at most limit bytes, and takes memory as it does.
func Body(r *route.Request, limit int64, coding string) ([]byte, error) {
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "", "identity":
		return limited(r.Body, limit)
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, unpackError(err)
		}
		return limited(inflating{z, Memory(r)}, limit)
	case "deflate":
		z, err := zlib.NewReader(r.Body)
		if err != nil {
			return nil, unpackError(err)
		}
		return limited(inflating{z, Memory(r)}, limit)
	case "zstd", "zstd1":
		if err := Memory(r).Weigh(zstdWindow); err != nil {
			return nil, err
		}
		z, err := zstd.NewReader(r.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderMaxMemory(uint64(limit)))
		if err != nil {
			return nil, unpackError(err)
		}
		defer z.Close()
		return limited(inflating{z, Memory(r)}, limit)
	case "snappy":
		return unsnap(r.Body, limit, Memory(r))
	default:
		return nil, wire.ErrMediaType
	}
}

// unsnap reads the block format, which says its length first.
func unsnap(body io.Reader, limit int64, reserve metrics.ReserveMemory) ([]byte, error) {
	packed, err := limited(body, limit)
	if err != nil {
		return nil, err
	}
	n, err := snappy.DecodedLen(packed)
	if err != nil {
		return nil, unpackError(err)
	}
	if int64(n) > limit {
		return nil, &wire.SizeError{Limit: limit}
	}
	if err := reserve.Weigh(int64(n)); err != nil {
		return nil, err
	}
	out, err := snappy.Decode(nil, packed)
	if err != nil {
		return nil, unpackError(err)
	}
	return out, nil
}

func limited(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, unpackError(err)
	}
	if int64(len(b)) > limit {
		return nil, &wire.SizeError{Limit: limit}
	}
	return b, nil
}

// unpackError tells a body that is too large from one that is broken.
func unpackError(err error) error {
	var tooLarge *http.MaxBytesError
	var busy *limit.Exceeded
	switch {
	case errors.As(err, &tooLarge):
		return &wire.SizeError{Limit: tooLarge.Limit}
	case errors.As(err, &busy), errors.Is(err, wire.ErrTooLarge):
		return err
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return wire.ErrTooLarge
	default:
		return refusal.Cause("the body cannot be unpacked", err)
	}
}
