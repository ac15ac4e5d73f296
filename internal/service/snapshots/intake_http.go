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
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
)

func (s *Service) handleSeriesV1(w http.ResponseWriter, r *route.Request) error {
	var in seriesV1Request
	if err := readIntake(r, maxSeriesV1Inflated, &in); err != nil {
		return err
	}
	points, err := in.fromWire()
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
	points, err := in.fromWire()
	if err != nil {
		return err
	}

	warnings, err := s.Submit(r.Context(), tenantOf(identity.From(r)), points)
	if err != nil {
		return err
	}

	if warnings == nil {
		warnings = []string{}
	}
	return wire.WriteJSON(w, r.Request, http.StatusAccepted, submitV2Response{Errors: warnings})
}

func (s *Service) handleDistributions(w http.ResponseWriter, r *route.Request) error {
	var in distributionRequest
	if err := readIntake(r, maxSeriesV1Inflated, &in); err != nil {
		return err
	}
	points, err := in.fromWire()
	if err != nil {
		return err
	}

	return s.take(w, r, points)
}

func (s *Service) handleCheckRun(w http.ResponseWriter, r *route.Request) error {
	var in []checkRun
	if err := readIntake(r, maxSeriesV2Inflated, &in); err != nil {
		return err
	}
	points, err := checksFromWire(in, s.world.Clock.Now().Unix())
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
	list, err := metrics.DecodeRemoteWrite(body)
	if err != nil {
		return errCause("remote write", err)
	}

	if _, err := s.Submit(r.Context(), tenantOf(identity.From(r)), submission{series: list}); err != nil {
		return err
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
	list, meta, err := metrics.DecodeOTLP(body, kind == "application/json")
	if err != nil {
		return errCause("OTLP", err)
	}

	if _, err := s.Submit(r.Context(), tenantOf(identity.From(r)), submission{series: list, meta: meta}); err != nil {
		return err
	}

	// An empty message is the whole answer, in either form.
	if kind == "application/json" {
		return wire.WriteBytes(w, r.Request, http.StatusOK, kind, []byte("{}"))
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, kind, nil)
}

// take keeps the points and answers as the public intake does, with text/json.
func (s *Service) take(w http.ResponseWriter, r *route.Request, points submission) error {
	warnings, err := s.Submit(r.Context(), tenantOf(identity.From(r)), points)
	if err != nil {
		return err
	}

	b, err := wire.EncodeJSON(submitResponse{Status: "ok", Warnings: warnings})
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, r.Request, http.StatusAccepted, "text/json", b)
}

// readIntake reads a JSON body in any of the encodings.
func readIntake(r *route.Request, most int64, dst any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Header.Get("Content-Type") != "" && (err != nil || !strings.HasSuffix(kind, "json")) {
		return wire.ErrMediaType
	}
	body, err := readEncoded(r, most, r.Header.Get("Content-Encoding"))
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return wire.ErrEmptyBody
	}
	return wire.DecodeJSON(body, dst)
}

// readEncoded unpacks a body to at most most bytes.
func readEncoded(r *route.Request, most int64, coding string) ([]byte, error) {
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "", "identity":
		return limited(r.Body, most)
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, unpackError(err)
		}
		return limited(z, most)
	case "deflate":
		z, err := zlib.NewReader(r.Body)
		if err != nil {
			return nil, unpackError(err)
		}
		return limited(z, most)
	case "zstd", "zstd1":
		z, err := zstd.NewReader(r.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderMaxMemory(uint64(most)))
		if err != nil {
			return nil, unpackError(err)
		}
		defer z.Close()
		return limited(z, most)
	case "snappy":
		return unsnap(r.Body, most)
	default:
		return nil, wire.ErrMediaType
	}
}

// unsnap reads the block format, which says its length first.
func unsnap(body io.Reader, most int64) ([]byte, error) {
	packed, err := limited(body, most)
	if err != nil {
		return nil, err
	}
	n, err := snappy.DecodedLen(packed)
	if err != nil {
		return nil, unpackError(err)
	}
	if int64(n) > most {
		return nil, &wire.SizeError{Limit: most}
	}
	out, err := snappy.Decode(nil, packed)
	if err != nil {
		return nil, unpackError(err)
	}
	return out, nil
}

func limited(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, unpackError(err)
	}
	if int64(len(b)) > most {
		return nil, &wire.SizeError{Limit: most}
	}
	return b, nil
}

// unpackError tells a body that is too large from one that is broken.
func unpackError(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &wire.SizeError{Limit: tooLarge.Limit}
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return wire.ErrTooLarge
	default:
		return errCause("the body cannot be unpacked", err)
	}
}
