package generate

import (
	"errors"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/openai"
)

// writeOpenAIError is the envelope of the other common form.
func (s *Service) writeOpenAIError(w http.ResponseWriter, r *route.Request, err error) {
	f, body := s.openAIError(r, err)
	header := w.Header()
	if f.RetryAfter > 0 {
		header.Set("Retry-After", wire.WholeSeconds(f.RetryAfter))
	}
	if f.Code == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer")
	}
	header.Set("Cache-Control", "no-store")
	// Only the connection can fail here.
	_ = wire.WriteJSON(w, r.Request, f.Code, openai.Envelope{Error: body})
}

// openAIError is an error in the words of the other form.
func (s *Service) openAIError(r *route.Request, err error) (fault.Fault, openai.ErrorBody) {
	var (
		own        *api.Error
		method     *route.MethodError
		credential *route.CredentialError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	f, code, param := s.faultOf(r, err), "", ""
	switch {
	case errors.As(err, &own):
		param = openai.Param(own.Field, r.Route != nil && r.Route.Tags["form"] == responsesRoute)
		f.Message = param + strings.TrimPrefix(f.Message, own.Field)
		if own.Code == api.CodeNotFound {
			code, param = "model_not_found", "model"
		}
		if own.Code == api.CodeExhausted {
			code = "rate_limit_exceeded"
		}
	case errors.Is(err, route.ErrNoRoute):
		code = "unknown_url"
	case errors.As(err, &method):
		code = "method_not_supported"
	case errors.Is(err, route.ErrNoCredential):
		f.Code, f.Message = http.StatusUnauthorized,
			"the request has no API key; send it as Authorization: Bearer KEY"
	case errors.As(err, &credential):
		f.Code, code = http.StatusUnauthorized, "invalid_api_key"
	case errors.As(err, &exceeded):
		code = "rate_limit_exceeded"
	case errors.As(err, &syntax):
		param = syntax.Field
	}
	return f, openai.NewError(f.Code, code, param, f.Message)
}
