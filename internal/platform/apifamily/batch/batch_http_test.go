package batch_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/apifamily/batch"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/world"
)

// handler is batches over two APIs that say what they were asked.
func handler(t testing.TB) http.Handler {
	t.Helper()
	w, err := world.Open(t.Context(), world.Options{Dir: t.TempDir(), Clock: clock.Real(), IDs: ids.Random()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	api := func(name string, parts int) module.Module {
		return module.Module{
			Name: name, Prefixes: []string{"/" + name + "/v1"}, API: &module.API{Name: name, Version: "v1", BatchParts: parts},
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("X-Said", r.Header.Get("Authorization")+" "+r.Header.Get("If-Match"))
				w.WriteHeader(http.StatusAccepted)
				_, _ = fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.RequestURI(), body)
			}),
		}
	}
	verify := func(context.Context, credential.Credential) (route.Caller, error) {
		return nil, &route.CredentialError{Reason: route.Unknown}
	}
	return batch.New(w, []module.Module{api("one", 3), api("two", 100), {Name: "other"}}, verify).Handler()
}

// post sends parts, each a Content-ID and a request, and gives the answers by Content-ID.
func post(t *testing.T, h http.Handler, path string, parts ...string) (status int, answers map[string]string) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(parts); i += 2 {
		p, err := w.CreatePart(map[string][]string{"Content-Type": {"application/http"}, "Content-Id": {parts[i]}})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(p, parts[i+1])
	}
	_ = w.Close()
	r := httptest.NewRequest("POST", path, &body)
	r.Header.Set("Content-Type", "multipart/mixed; boundary="+w.Boundary())
	r.Header.Set("Authorization", "Bearer outer")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	if rec.Code != 200 {
		return rec.Code, map[string]string{"": rec.Body.String()}
	}
	_, params, err := mime.ParseMediaType(rec.Header().Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	answers = map[string]string{}
	in := multipart.NewReader(rec.Body, params["boundary"])
	for {
		p, err := in.NextPart()
		if errors.Is(err, io.EOF) {
			return rec.Code, answers
		}
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(p), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		answers[p.Header.Get("Content-Id")] = fmt.Sprintf("%d [%s] %s", answer.StatusCode, answer.Header.Get("X-Said"), text)
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	_, got := post(t, handler(t), "/batch/two/v1",
		"<a+1>", "GET /two/v1/things?x=1 HTTP/1.1\r\n\r\n",
		"<a+2>", "PATCH http://elsewhere.example/two/v1/t HTTP/1.1\r\nAuthorization: Bearer own\r\nIf-Match: y\r\n"+
			"Content-Type: application/json\r\nContent-Length: 999\r\n\r\n{\"a\":1}",
		"plain", "DELETE /two/v1/t\n\n",
		"<foreign>", "GET /one/v1/t HTTP/1.1\r\n\r\n",
		"<nested>", "POST /batch HTTP/1.1\r\n\r\n",
		"<bad>", "hello")
	for id, want := range map[string]string{
		"<response-a+1>":     "202 [Bearer outer] GET /two/v1/things?x=1",
		"<response-a+2>":     `202 [Bearer own y] PATCH /two/v1/t {"a":1}`,
		"response-plain":     "202 [Bearer outer] DELETE /two/v1/t",
		"<response-foreign>": "404", "<response-nested>": "400", "<response-bad>": "400",
	} {
		if !strings.HasPrefix(got[id], want) {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
	}
}

func TestBatchBounds(t *testing.T) {
	t.Parallel()
	h := handler(t)
	get := func(n int) (parts []string) {
		for i := range n {
			parts = append(parts, fmt.Sprintf("<%d>", i), "GET /one/v1/x HTTP/1.1\r\n\r\n")
		}
		return parts
	}
	for name, c := range map[string]struct {
		path  string
		parts []string
		want  int
	}{
		"as many as may be": {"/batch/one/v1", get(3), 200},
		"too many":          {"/batch/one/v1", get(4), 400},
		"none":              {"/batch/one/v1", nil, 400},
		"any API":           {"/batch", get(4), 200},
		"no such API":       {"/batch/three/v1", get(1), 404},
		"other version":     {"/batch/one/v2", get(1), 404},
	} {
		if got, answers := post(t, h, c.path, c.parts...); got != c.want {
			t.Errorf("%s: %d %v, want %d", name, got, answers, c.want)
		}
	}
	r := httptest.NewRequest("POST", "/batch", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	if h.ServeHTTP(rec, r); rec.Code != 400 {
		t.Errorf("a body of JSON: %d %s", rec.Code, rec.Body)
	}
}
