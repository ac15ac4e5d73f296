package snapshots

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/unpack"
)

// maxIntakeValues is how many JSON values a submission may have: three for
// each of its points, and some for its series.
const maxIntakeValues = 4 * metrics.MaxSubmitted

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
	body, err := unpack.Body(r, maxWriteInflated, "snappy")
	if err != nil {
		return err
	}
	list, err := metrics.DecodeRemoteWrite(body, unpack.Memory(r))
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
	body, err := unpack.Body(r, maxWriteInflated, r.Header.Get("Content-Encoding"))
	if err != nil {
		return err
	}
	list, meta, err := metrics.DecodeOTLP(body, kind == "application/json", unpack.Memory(r))
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
	body, err := unpack.Body(r, limit, r.Header.Get("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, wire.ErrEmptyBody
	}
	return body, nil
}

func decodeIntake(r *route.Request, body []byte, dst any) error {
	return wire.DecodeJSON(body, dst, wire.MaxValues(maxIntakeValues), wire.Weighed(unpack.Memory(r)))
}
