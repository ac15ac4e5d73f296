package route_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

func TestCORS(t *testing.T) {
	t.Parallel()
	any := build(t, table(), func(o *route.Options) {
		o.CORS = &route.CORS{Expose: []string{"Link", "X-Total"}}
	})
	routetest.Run(t, any.mux, []routetest.Scenario{
		{Name: "no origin", URL: "/open", Status: 200, WantHeader: map[string]string{"Access-Control-Allow-Origin": ""}},
		{
			Name: "any origin", URL: "/open", Header: map[string]string{"Origin": "https://a.test"}, Status: 200,
			WantHeader: map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Link, X-Total",
				"Access-Control-Allow-Credentials": ""},
		},
		{
			Name: "failures too", URL: "/nowhere", Header: map[string]string{"Origin": "https://a.test"}, Status: 404,
			WantHeader: map[string]string{"Access-Control-Allow-Origin": "*"},
		},
		{
			Name: "preflight", Method: "OPTIONS", URL: "/things/1", Status: 204,
			Header: map[string]string{"Origin": "https://a.test", "Access-Control-Request-Method": "PUT",
				"Access-Control-Request-Headers": "authorization, content-type"},
			WantHeader: map[string]string{
				"Access-Control-Allow-Methods": "DELETE, GET, HEAD, OPTIONS, PUT", "Access-Control-Max-Age": "600",
				"Access-Control-Allow-Headers": "authorization, content-type",
			},
		},
		{
			Name: "options without preflight", Method: "OPTIONS", URL: "/things/1",
			Header: map[string]string{"Origin": "https://a.test"}, Status: 204,
			WantHeader: map[string]string{"Access-Control-Allow-Methods": ""},
		},
	})
}
