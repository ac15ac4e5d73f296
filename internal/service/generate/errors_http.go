package generate

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

func statusOf(c api.Code) int {
	switch c {
	case api.CodeInvalidArgument, api.CodeFailedPrecondition:
		return http.StatusBadRequest
	case api.CodePermissionDenied:
		return http.StatusForbidden
	case api.CodeNotFound:
		return http.StatusNotFound
	case api.CodeExhausted:
		return http.StatusTooManyRequests
	case api.CodeUnavailable:
		return http.StatusServiceUnavailable
	case api.CodeDeadline:
		return http.StatusGatewayTimeout
	case api.CodeInternal:
	}
	return http.StatusInternalServerError
}

// unknownVerb reports whether an address ends in a verb that no operation has. The
// address without its verb may well be one.
func unknownVerb(r *route.Request, err error) bool {
	var method *route.MethodError
	return errors.As(err, &method) && strings.Contains(path.Base(r.URL.Path), ":")
}

// writeError is the service's envelope. A stream that is not server-sent
// events is an array, also when all it holds is an error.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	f := s.faultOf(r, err)
	if unknownVerb(r, err) {
		w.Header().Del("Allow")
	}
	var session *files.SessionError
	if errors.As(err, &session) {
		s.setHeader(w, dialect.UploadStatus, string(session.State))
	}
	if r.Route != nil && r.Route.Name == streamRoute && r.Query().Get("alt") != "sse" {
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", wire.WholeSeconds(f.RetryAfter))
		}
		w.Header().Set("Cache-Control", "no-store")
		body := append(append([]byte{'['}, fault.Body(f)...), ']')
		// Only the connection can fail here.
		_ = wire.WriteBytes(w, r.Request, f.Code, "application/json; charset=UTF-8", body)
		return
	}
	fault.Write(w, r, f)
}

// faultOf is an error in the words of the API.
func (s *Service) faultOf(r *route.Request, err error) fault.Fault {
	var (
		own        *api.Error
		session    *files.SessionError
		credential *route.CredentialError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	f := fault.Common(r, err)
	spelling := s.spelling(r)
	switch {
	case errors.As(err, &own):
		f = fault.New(statusOf(own.Code), string(own.Code), asAsked(r, spelling.Message(own.Message, own.Field)))
		f.RetryAfter = own.RetryAfter
		if own.Field != "" {
			f.Details = []any{s.badRequest(spelling.Field(own.Field), f.Message)}
		}
	case unknownVerb(r, err):
		f = fault.New(http.StatusNotFound, string(api.CodeNotFound), r.URL.Path+" is not a method of this API")
	case errors.As(err, &session):
		f = fault.New(session.Status, string(api.CodeFailedPrecondition), session.Message)
		if session.Status == files.StatusNotFound {
			f.Status = string(api.CodeNotFound)
		}
	case errors.Is(err, route.ErrNoCredential):
		f = fault.New(http.StatusForbidden, string(api.CodePermissionDenied),
			"method doesn't allow callers without established identity; send an API key in the query parameter key "+
				"or in the header "+s.world.Dialect.Says(dialect.ModelKey))
	case errors.As(err, &credential):
		f = fault.New(http.StatusBadRequest, string(api.CodeInvalidArgument),
			"API key not valid ("+credential.Reason+"). Please pass a valid API key.")
		f.Details = []any{s.detail("ErrorInfo", map[string]any{
			"reason": "API_KEY_INVALID", "domain": s.world.Dialect.Says(dialect.ErrorDomain),
			"metadata": map[string]string{"service": s.world.Dialect.Says(dialect.ModelService)},
		})}
	case errors.As(err, &exceeded):
		f = s.quotaFault(exceeded)
	case errors.As(err, &syntax):
		f.Message = spelling.Message(f.Message, syntax.Field)
		f.Details = []any{s.badRequest(spelling.Field(syntax.Field), spelling.Message(syntax.Reason, syntax.Field))}
	}
	f.Message = asAsked(r, f.Message)
	f.Reason = "" // this API's errors have no list of older reasons
	return f
}

func (s *Service) quotaFault(e *limit.Exceeded) fault.Fault {
	wait := max(1, int(math.Ceil(e.RetryAfter.Seconds())))
	f := fault.New(http.StatusTooManyRequests, string(api.CodeExhausted), fmt.Sprintf(
		"you exceeded your current quota: %s, limit %d. Please retry in %ds.", e.Name, e.Limit, wait))
	f.RetryAfter = e.RetryAfter
	f.Details = []any{
		s.detail("QuotaFailure", map[string]any{"violations": []map[string]string{{
			"quotaMetric": s.world.Dialect.Says(dialect.ModelService) + "/" + e.Name,
			"quotaId":     e.Name, "quotaValue": strconv.FormatInt(e.Limit, 10),
		}}}),
		s.detail("RetryInfo", map[string]any{"retryDelay": strconv.Itoa(wait) + "s"}),
	}
	return f
}

func (s *Service) badRequest(field, description string) map[string]any {
	return s.detail("BadRequest", map[string]any{
		"fieldViolations": []map[string]string{{"field": api.SnakeName(field), "description": description}},
	})
}

func (s *Service) detail(kind string, members map[string]any) map[string]any {
	members["@type"] = s.world.Dialect.Says(dialect.DetailType) + kind
	return members
}
