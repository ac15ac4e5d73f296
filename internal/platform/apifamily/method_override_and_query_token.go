package apifamily

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// Options adds to the options of a mux what the family takes before an operation is
// found: the method of a POST in a header, and the bearer token in the query.
func Options(o route.Options) route.Options {
	o.Before = OverrideMethod
	o.Extract = credential.FirstOf(o.Extract, credential.Query("access_token"))
	return o
}

const overrideHeader = "X-HTTP-Method-Override"

// OverrideMethod gives a POST the method that its header names.
func OverrideMethod(_ http.ResponseWriter, r *route.Request) error {
	named := r.Header.Get(overrideHeader)
	if named == "" || r.Method != http.MethodPost {
		return nil
	}
	method := strings.ToUpper(named)
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return &fault.ParameterError{
			Name: overrideHeader, Header: true, Message: overrideHeader + " must be GET, POST, PUT, PATCH or DELETE",
		}
	}
	if method == http.MethodGet && r.ContentLength != 0 {
		return &fault.ParameterError{
			Name: overrideHeader, Header: true,
			Message: "a request that is a GET has its parameters in the address, not in a body",
		}
	}
	// The server's own request stays as it came.
	changed := *r.Request
	changed.Method = method
	r.Request = &changed
	return nil
}
