package consoleorclient_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/route/consoleorclient"
	"stoa.dev/stoa/internal/platform/route/credential"
)

func TestMadeByPage(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		method, referer, mode, site string
		inside, below, want         bool
	}{
		"client":                 {},
		"inside":                 {inside: true, method: http.MethodPost, want: true},
		"picture":                {referer: "http://stoa.test/console/dashboards/1", want: true},
		"picture of the front":   {referer: "http://stoa.test/console", site: "same-origin", want: true},
		"picture of a world":     {referer: "http://stoa.test/w/one/console/data", below: true, want: true},
		"page of another world":  {referer: "http://stoa.test/console/data", below: true},
		"link that was followed": {referer: "http://stoa.test/console/data", mode: "navigate"},
		"other page":             {referer: "http://stoa.test/docs/console"},
		"longer name":            {referer: "http://stoa.test/consoles"},
		"other site":             {referer: "http://other.test/console/x", site: "cross-site"},
		"change":                 {method: http.MethodPost, referer: "http://stoa.test/console/x"},
		"no address":             {referer: "http://[/console"},
	} {
		r := httptest.NewRequest(row.method, "/snapshot/view/1", nil)
		for header, value := range map[string]string{
			"Referer": row.referer, "Sec-Fetch-Mode": row.mode, "Sec-Fetch-Site": row.site,
		} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		ctx := r.Context()
		if row.inside {
			ctx = credential.With(ctx, credential.Credential{})
		}
		if row.below {
			ctx = address.With(ctx, &address.Address{Path: "/w/one"})
		}
		if got := consoleorclient.MadeByPage(r.WithContext(ctx)); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestIsPage(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/console": true, "/console/": true, "/console/assets/app.css": true, "/docs": true, "/docs/lab": true,
		"/": false, "/consoles": false, "/docs2/x": false, "/tasks/v1/console": false, "": false,
	} {
		if got := consoleorclient.IsPage(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}
