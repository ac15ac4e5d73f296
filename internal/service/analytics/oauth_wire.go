package analytics

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

type deviceCodeJSON struct {
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURI string `json:"verification_uri"`
	ExpiresIn       int64  `json:"expires_in"`
	Interval        int64  `json:"interval"`
}

func deviceCodeToWire(c DeviceCode) deviceCodeJSON {
	return deviceCodeJSON{
		DeviceCode: c.DeviceCode, UserCode: c.UserCode, VerificationURI: c.VerificationURI,
		ExpiresIn: seconds(c.Life), Interval: seconds(c.Interval),
	}
}

type tokensJSON struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
}

func tokensToWire(t identity.Tokens) tokensJSON {
	return tokensJSON{
		AccessToken: t.Access, TokenType: "Bearer",
		ExpiresIn: seconds(t.Token.ExpiresAt.Sub(t.Token.CreatedAt)), RefreshToken: t.Refresh,
	}
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

type oauthErrorJSON struct {
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description,omitempty"`
}

// quotaJSON is the one answer of the shared table without the error member.
type quotaJSON struct {
	ErrorCode string `json:"error_code"`
}

// writeOAuthError is the envelope of the token flows.
func writeOAuthError(w http.ResponseWriter, r *route.Request, err error) {
	noStore(w)
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(exceeded.RetryAfter.Seconds()))))
		_ = wire.WriteJSON(w, r.Request, http.StatusForbidden, quotaJSON{ErrorCode: "rate_limit_exceeded"})
		return
	}
	status, code, description := oauthGround(r, err)
	var refused *OAuthError
	if errors.As(err, &refused) {
		if refused.Basic {
			w.Header().Set("WWW-Authenticate", `Basic realm="stoa"`)
		}
		status, code, description = oauthStatus(refused.Code), refused.Code, refused.Description
	}
	// The connection is all that can fail here, and then nobody is listening.
	_ = wire.WriteJSON(w, r.Request, status, oauthErrorJSON{Error: string(code), ErrorDescription: description})
}

// oauthStatus is the shared table.
func oauthStatus(code OAuthCode) int {
	switch code {
	case CodePending:
		return http.StatusPreconditionRequired
	case CodeSlowDown, CodeDenied, CodeOrgInternal:
		return http.StatusForbidden
	case CodeInvalidClient:
		return http.StatusUnauthorized
	case CodeExpired, CodePolicy, CodeInvalidGrant, CodeInvalidRequest, CodeInvalidScope, CodeGrantType, CodeResponseType:
		return http.StatusBadRequest
	}
	return http.StatusBadRequest
}

// oauthGround answers the errors that any request can meet.
func oauthGround(r *route.Request, err error) (status int, code OAuthCode, description string) {
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
