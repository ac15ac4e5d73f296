package device

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// codeJSON names the page twice: clients of the public service read the first
// form, clients of RFC 8628 the second.
type codeJSON struct {
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURL string `json:"verification_url"`
	VerificationURI string `json:"verification_uri"`
	ExpiresIn       int64  `json:"expires_in"`
	Interval        int64  `json:"interval"`
}

func codeToWire(c Code) codeJSON {
	return codeJSON{
		DeviceCode: c.DeviceCode, UserCode: c.UserCode,
		VerificationURL: c.VerificationURL, VerificationURI: c.VerificationURL,
		ExpiresIn: seconds(c.Life), Interval: seconds(c.Interval),
	}
}

type tokensJSON struct {
	AccessToken           string `json:"access_token"`
	ExpiresIn             int64  `json:"expires_in"`
	RefreshToken          string `json:"refresh_token"`
	RefreshTokenExpiresIn int64  `json:"refresh_token_expires_in,omitempty"`
	Scope                 string `json:"scope"`
	TokenType             string `json:"token_type"`
}

func (s *Service) tokensToWire(t identity.Tokens) tokensJSON {
	scopes := make([]string, len(t.Token.Scopes))
	for i, scope := range t.Token.Scopes {
		scopes[i] = s.people.Full(scope)
	}
	out := tokensJSON{
		AccessToken: t.Access, ExpiresIn: seconds(t.Token.ExpiresAt.Sub(t.Token.CreatedAt)),
		RefreshToken: t.Refresh, Scope: strings.Join(scopes, " "), TokenType: "Bearer",
	}
	if !t.RefreshToken.ExpiresAt.IsZero() {
		out.RefreshTokenExpiresIn = seconds(t.RefreshToken.ExpiresAt.Sub(t.RefreshToken.CreatedAt))
	}
	return out
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// discoveryJSON is the metadata of RFC 8414.
type discoveryJSON struct {
	Issuer                      string   `json:"issuer"`
	DeviceAuthorizationEndpoint string   `json:"device_authorization_endpoint"`
	TokenEndpoint               string   `json:"token_endpoint"`
	RevocationEndpoint          string   `json:"revocation_endpoint"`
	ResponseTypesSupported      []string `json:"response_types_supported"`
	GrantTypesSupported         []string `json:"grant_types_supported"`
	SubjectTypesSupported       []string `json:"subject_types_supported"`
	ScopesSupported             []string `json:"scopes_supported"`
	TokenAuthMethodsSupported   []string `json:"token_endpoint_auth_methods_supported"`
	CodeChallengeMethods        []string `json:"code_challenge_methods_supported"`
}

func (s *Service) discovery(base string) discoveryJSON {
	scopes := []string{}
	for _, scope := range s.people.AllScopes(identity.AllServices) {
		scopes = append(scopes, s.people.Full(scope.Name))
	}
	return discoveryJSON{
		Issuer:                      base,
		DeviceAuthorizationEndpoint: base + "/device/code",
		TokenEndpoint:               base + "/token",
		RevocationEndpoint:          base + "/revoke",
		ResponseTypesSupported:      []string{"none"},
		GrantTypesSupported:         []string{string(GrantDevice), string(GrantRefresh)},
		SubjectTypesSupported:       []string{"public"},
		ScopesSupported:             scopes,
		TokenAuthMethodsSupported:   []string{"client_secret_post", "client_secret_basic", "none"},
		CodeChallengeMethods:        []string{"S256"},
	}
}

type errorJSON struct {
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description"`
}

// quotaJSON is the one answer of the contract without the error member.
type quotaJSON struct {
	ErrorCode string `json:"error_code"`
}

// writeError is the service's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	noStore(w)
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(exceeded.RetryAfter.Seconds()))))
		_ = wire.WriteJSON(w, r.Request, http.StatusForbidden, quotaJSON{ErrorCode: "rate_limit_exceeded"})
		return
	}
	var refused *Error
	if errors.As(err, &refused) {
		if refused.Basic {
			w.Header().Set("WWW-Authenticate", `Basic realm="stoa"`)
		}
		write(w, r, statusOf(refused.Code), refused.Code, refused.Description)
		return
	}
	status, code, description := ground(r, err)
	write(w, r, status, code, description)
}

func write(w http.ResponseWriter, r *route.Request, status int, code ErrorCode, description string) {
	// The connection is all that can fail here, and then nobody is listening.
	_ = wire.WriteJSON(w, r.Request, status, errorJSON{Error: string(code), ErrorDescription: description})
}

// statusOf is the contract's table.
func statusOf(code ErrorCode) int {
	switch code {
	case CodePending:
		return http.StatusPreconditionRequired
	case CodeSlowDown, CodeDenied, CodeOrgInternal:
		return http.StatusForbidden
	case CodeInvalidClient:
		return http.StatusUnauthorized
	case CodeExpired, CodePolicy, CodeInvalidGrant, CodeInvalidRequest, CodeInvalidScope, CodeUnsupported, CodeUnsupportedKind:
		return http.StatusBadRequest
	}
	return http.StatusBadRequest
}

// ground answers the errors that any request can meet.
func ground(r *route.Request, err error) (status int, code ErrorCode, description string) {
	var (
		method     *route.MethodError
		syntax     *wire.SyntaxError
		credential *route.CredentialError
		scope      *route.ScopeError
	)
	switch {
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, CodeInvalidRequest, "there is nothing at this address"
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, CodeInvalidRequest, "use " + strings.Join(method.Allow, " or ")
	case errors.As(err, &syntax):
		return http.StatusBadRequest, CodeInvalidRequest, syntax.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, CodeInvalidRequest, "the form is empty"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, CodeInvalidRequest, "send application/x-www-form-urlencoded"
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, CodeInvalidRequest, "the form is too large"
	case errors.Is(err, route.ErrNoCredential), errors.As(err, &credential):
		return http.StatusUnauthorized, CodeInvalidClient, "Unauthorized"
	case errors.As(err, &scope):
		return http.StatusForbidden, "insufficient_scope", scope.Error()
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "temporarily_unavailable", "the request took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "temporarily_unavailable", "the client closed the request"
	}
	return http.StatusInternalServerError, "server_error", "internal error, see request id " + r.ID
}
