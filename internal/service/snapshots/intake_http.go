package snapshots

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
)

func (s *Service) handleSeriesV1(w http.ResponseWriter, r *route.Request) error {
	var in seriesV1Request
	if err := readIntake(r, maxSeriesV1Inflated, &in); err != nil {
		return err
	}
	points, err := in.fromWire(s.config.PointsPast)
	if err != nil {
		return err
	}

	return s.take(w, r, points)
}

func (s *Service) handleSeriesV2(w http.ResponseWriter, r *route.Request) error {
	var in seriesV2Request
	if err := readIntake(r, maxSeriesV2Inflated, &in); err != nil {
		return err
	}
	points, err := in.fromWire(s.config.PointsPast)
	if err != nil {
		return err
	}

	out, err := s.Submit(r.Context(), tenantOf(identity.From(r)), points)
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusAccepted, submitV2Response{Errors: nonNil(out.warnings)})
}

func (s *Service) handleDistributions(w http.ResponseWriter, r *route.Request) error {
	var in distributionRequest
	if err := readIntake(r, maxSeriesV1Inflated, &in); err != nil {
		return err
	}
	points, err := in.fromWire(s.config.PointsPast)
	if err != nil {
		return err
	}

	return s.take(w, r, points)
}

func (s *Service) handleCheckRun(w http.ResponseWriter, r *route.Request) error {
	body, err := readIntakeBody(r, maxSeriesV2Inflated)
	if err != nil {
		return err
	}
	// Older clients send one run alone.
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		body = slices.Concat([]byte("["), body, []byte("]"))
	}
	var in []checkRun
	if err := decodeIntake(r, body, &in); err != nil {
		return err
	}
	points, err := checksFromWire(in, s.world.Clock.Now().Unix(), s.config.PointsPast)
	if err != nil {
		return err
	}

	return s.take(w, r, points)
}

// handleRemoteWrite takes Prometheus remote write, version 1.
func (s *Service) handleRemoteWrite(w http.ResponseWriter, r *route.Request) error {
	body, err := readEncoded(r, maxWriteInflated, "snappy")
	if err != nil {
		return err
	}
	list, err := metrics.DecodeRemoteWrite(body, weigher(r))
	if err != nil {
		return errDecode("remote write", err)
	}

	out, err := s.Submit(r.Context(), tenantOf(identity.From(r)), submission{series: list})
	if err != nil {
		return err
	}
	if out.points > 0 { // the sender logs this and goes on; the other points are stored
		return errInvalid("remote write: %s", strings.Join(out.warnings, "; "))
	}

	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// handleOTLP takes OpenTelemetry metrics over HTTP, binary or JSON.
func (s *Service) handleOTLP(w http.ResponseWriter, r *route.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains([]string{"application/x-protobuf", "application/json"}, kind) {
		return wire.ErrMediaType
	}
	body, err := readEncoded(r, maxWriteInflated, r.Header.Get("Content-Encoding"))
	if err != nil {
		return err
	}
	list, meta, err := metrics.DecodeOTLP(body, kind == "application/json", weigher(r))
	if err != nil {
		return errDecode("OTLP", err)
	}

	out, err := s.Submit(r.Context(), tenantOf(identity.From(r)), submission{series: list, meta: meta})
	if err != nil {
		return err
	}

	answer, err := metrics.EncodeOTLP(out.points, strings.Join(out.warnings, "; "), kind == "application/json")
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, kind, answer)
}

// take keeps the points and answers as the public intake does, with text/json.
func (s *Service) take(w http.ResponseWriter, r *route.Request, points submission) error {
	out, err := s.Submit(r.Context(), tenantOf(identity.From(r)), points)
	if err != nil {
		return err
	}

	b, err := wire.EncodeJSON(submitResponse{Status: "ok", Warnings: out.warnings})
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, r.Request, http.StatusAccepted, "text/json", b)
}

// readIntake reads a JSON body in any of the encodings.
func readIntake(r *route.Request, limit int64, dst any) error {
	body, err := readIntakeBody(r, limit)
	if err != nil {
		return err
	}
	return decodeIntake(r, body, dst)
}

func readIntakeBody(r *route.Request, limit int64) ([]byte, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Header.Get("Content-Type") != "" && (err != nil || !strings.HasSuffix(kind, "json")) {
		return nil, wire.ErrMediaType
	}
	body, err := readEncoded(r, limit, r.Header.Get("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, wire.ErrEmptyBody
	}
	return body, nil
}

func decodeIntake(r *route.Request, body []byte, dst any) error {
	return wire.DecodeJSON(body, dst, wire.MaxValues(maxIntakeValues), wire.Weighed(weigher(r)))
}

const (
	// maxIntakeValues is how many JSON values a submission may have: three for
	// each of its points, and some for its series.
	maxIntakeValues = 4 * metrics.MaxSubmitted
	// inflatedWeight is what a byte that was unpacked takes: the buffer, and the
	// one it grew out of.
	inflatedWeight = 2
	// zstdWindow is how far back a packed body may refer; it is held in memory.
	zstdWindow = 8 << 20
)

// weigher takes memory of the request's own grant, which is given back when it
// is answered.
func weigher(r *route.Request) metrics.Weigh {
	if w, ok := r.Body.(wire.Weigher); ok {
		return w.Weigh
	}
	return nil
}

// inflating takes memory for what a body is unpacked to, as it grows.
type inflating struct {
	io.Reader
	weigh metrics.Weigh
}

// Read refuses what the budget does not cover.
func (i inflating) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if refused := i.weigh.Weigh(inflatedWeight * int64(n)); refused != nil {
		return 0, refused
	}
	return n, err
}

// readEncoded unpacks a body to at most most bytes, and takes memory as it does.
func readEncoded(r *route.Request, limit int64, coding string) ([]byte, error) {
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "", "identity":
		return limited(r.Body, limit)
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, unpackError(err)
		}
		return limited(inflating{z, weigher(r)}, limit)
	case "deflate":
		z, err := zlib.NewReader(r.Body)
		if err != nil {
			return nil, unpackError(err)
		}
		return limited(inflating{z, weigher(r)}, limit)
	case "zstd", "zstd1":
		if err := weigher(r).Weigh(zstdWindow); err != nil {
			return nil, err
		}
		z, err := zstd.NewReader(r.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderMaxMemory(uint64(limit)))
		if err != nil {
			return nil, unpackError(err)
		}
		defer z.Close()
		return limited(inflating{z, weigher(r)}, limit)
	case "snappy":
		return unsnap(r.Body, limit, weigher(r))
	default:
		return nil, wire.ErrMediaType
	}
}

// unsnap reads the block format, which says its length first.
func unsnap(body io.Reader, limit int64, weigh metrics.Weigh) ([]byte, error) {
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
	if err := weigh.Weigh(int64(n)); err != nil {
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
		return errCause("the body cannot be unpacked", err)
	}
}
