package pipelines

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// A trigger is variables with names of the shell, or refused, in whichever of
// the forms that clients send.
func FuzzTrigger(f *testing.F) {
	const form = "application/x-www-form-urlencoded"
	fuzztest.Add(f, "application/json", []byte(`{"build_parameters":{"A":1.50,"B":true,"C":"x","D":null},"parallel":"4","parameters":{"x":[1]},"tag":"v1"}`))
	fuzztest.Add(f, "", []byte(`{"branch":"main","revision":"abc","no_dependency_cache":true}`))
	fuzztest.Add(f, form, []byte("build_parameters[A]=b&job=test&parallel=2"))
	fuzztest.Add(f, form+"; charset=utf-8", []byte(`{"build_parameters":{"A":"b"}}`))
	fuzztest.Add(f, form, []byte("build_parameters[=x&build_parameters[]=y&%7b=&parallel=%7b"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		r := &route.Request{Request: httptest.NewRequest("POST", "/", bytes.NewReader(body))}
		r.Header.Set("Content-Type", contentType)
		var in triggerRequest
		err := readBody(r, &in)
		var o TriggerOptions
		if err == nil {
			o, err = in.fromWire()
		}
		var refused *refusal.Error
		var syntax *wire.SyntaxError
		if err != nil {
			if !errors.As(err, &refused) && !errors.As(err, &syntax) && !errors.Is(err, wire.ErrMediaType) {
				t.Errorf("%q: got %T %v, want an error of ours", body, err, err)
			}
			if len(err.Error()) > 2000 {
				t.Errorf("the refusal of %d bytes has %d", len(body), len(err.Error()))
			}
			return
		}
		for name, value := range o.Parameters {
			if !project.IsVariable(name) || len(value) > len(body) {
				t.Errorf("%q: got %q=%q", body, name, value)
			}
		}
	})
}

// The part of a list that a query asks for is within its bounds.
func FuzzListQuery(f *testing.F) {
	fuzztest.Strings(f, "limit=5&offset=7&filter=failed&shallow=true", "limit=-1", "offset=9223372036854775808",
		"limit=%zz", "filter=x", "limit=1e3", "limit=+5", "limit=0", "a;b")
	f.Fuzz(func(t *testing.T, query string) {
		r := &route.Request{Request: httptest.NewRequest("GET", "/", nil)}
		r.URL.RawQuery = query
		q, err := readListQuery(r)
		var refused *refusal.Error
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("%q: got %T %v, want a refusal", query, err, err)
		}
		if err == nil && (q.limit < 0 || q.limit > maxLimit || q.offset < 0 || q.offset > maxOffset) {
			t.Errorf("%q: got %+v", query, q)
		}
	})
}
