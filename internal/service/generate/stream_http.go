package generate

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/apifamily"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/streams"
)

// handleStream answers in chunks: server-sent events with alt=sse, elements of
// one JSON array without.
func (s *Service) handleStream(w http.ResponseWriter, r *route.Request) error {
	alt := r.Query().Get("alt")
	if alt != "" && alt != "sse" && alt != "json" {
		return api.ErrInvalidField("alt", "%q is not one of sse and json", alt)
	}
	mask, err := apifamily.ReadMask(r, reflect.TypeFor[api.Response]())
	if err != nil {
		return err
	}
	var request api.Request
	if err := s.decode(r, &request); err != nil {
		return err
	}
	out := streams.New(w, alt == "sse", mask, func() {
		s.setHeader(w, dialect.ServiceTier, string(request.ServiceTier))
	})

	ctx, cancel := context.WithTimeoutCause(r.Context(), streamTime, route.ErrDeadline)
	defer cancel()
	stop := out.OpenLater()
	err = s.Stream(ctx, identity.From(r), r.PathValue("model"), &request, out.Send)
	stop()
	switch {
	case err == nil:
		return out.End()
	case !out.Opened() || r.Context().Err() != nil:
		return err
	}

	// The status is sent; what is left to say goes into the stream, and what the
	// caller must not know into the log.
	f := s.faultOf(r, err)
	if f.Code >= http.StatusInternalServerError {
		s.world.Telemetry.Log.LogAttrs(r.Context(), slog.LevelError, "stream failed",
			slog.String("service", Name), slog.String("request", r.ID), slog.String("error", err.Error()))
	}
	return out.Raw(fault.Body(f), true)
}

// streamTime bounds a whole stream, also one that is read a byte at a time.
const streamTime = 30 * time.Minute
