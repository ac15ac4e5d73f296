package tokens

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// maxForm is far above any form of this contract.
const maxForm = 64 << 10

// Routes are the token flows. Clients prove themselves in the form, so no route
// asks for a bearer token.
func (f *Flows) Routes() []route.Route {
	return []route.Route{
		{
			Method: "POST", Pattern: "/dag/device/code", Name: "dag.device.code",
			MaxBody: maxForm, Handle: f.handleDeviceCode,
		},
		{
			Method: "POST", Pattern: "/dag/device/token", Name: "dag.device.token",
			MaxBody: maxForm, Handle: f.handleDeviceToken,
		},
		{Method: "GET", Pattern: "/dag/auth/verify_code", Name: "dag.auth.verifyCode", Handle: f.handleVerifyCode},
		{Method: "GET", Pattern: "/oauth2/authorize", Name: "oauth2.authorize", Handle: f.handleAuthorize},
		{Method: "GET", Pattern: "/oauth2/success", Name: "oauth2.success", Handle: f.handleSuccess},
		{
			Method: "POST", Pattern: "/oauth2/access_token", Name: "oauth2.accessToken",
			MaxBody: maxForm, Handle: f.handleAccessToken,
		},
	}
}

// Options are those of the mux that serves the routes.
func (f *Flows) Options() route.Options {
	return f.world.RouteOptions(route.Options{Service: f.config.Service, WriteError: oauth.WriteError, Gate: f.gate})
}

// gate charges the caller's network, operation by operation: no request shows
// a credential before its form is read. Codes have a window of their own.
func (f *Flows) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	w := limit.Window{Name: f.config.Service + "." + r.Route.Name, Limit: f.config.RequestsPerMinute, Per: time.Minute}
	_, err := f.world.Limits.Take(r.Context(), w, "network:"+clientaddr.Network(r.Request), 1)
	return nil, err
}
