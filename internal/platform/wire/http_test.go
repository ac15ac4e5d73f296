package wire_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/wire"
)

func pack(t testing.TB, b []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestReadJSON(t *testing.T) {
	t.Parallel()
	big := append([]byte(`{"name":"`), append(bytes.Repeat([]byte("x"), 5000), `"}`...)...)
	for _, c := range []struct {
		name   string
		body   []byte
		header map[string]string
		limit  int64
		opts   []wire.Option
		want   error // nil: read; a *SyntaxError when syntax is set
		syntax bool
	}{
		{name: "plain", body: []byte(`{"name":"x"}`)},
		{name: "any media type by default", body: []byte(`{}`), header: map[string]string{"Content-Type": "text/plain"}},
		{name: "media type asked", body: []byte(`{}`), header: map[string]string{"Content-Type": "text/plain"},
			opts: []wire.Option{wire.RequireMediaType("application/json")}, want: wire.ErrMediaType},
		{name: "media type missing", body: []byte(`{}`), opts: []wire.Option{wire.RequireMediaType("application/json")},
			want: wire.ErrMediaType},
		{name: "media type with charset", body: []byte(`{}`),
			header: map[string]string{"Content-Type": "Application/JSON; charset=utf-8"},
			opts:   []wire.Option{wire.RequireMediaType("application/json")}},
		{name: "media type plus json", body: []byte(`{}`),
			header: map[string]string{"Content-Type": "application/merge-patch+json"},
			opts:   []wire.Option{wire.RequireMediaType("application/json")}},
		{name: "empty", want: wire.ErrEmptyBody},
		{name: "empty allowed", opts: []wire.Option{wire.AllowEmpty(), wire.RequireMediaType("application/json")}},
		{name: "too large for the route", body: big, limit: 100, want: wire.ErrTooLarge},
		{name: "exactly the limit", body: []byte(`{"name":"x"}`), limit: 12},
		{name: "one over the limit", body: []byte(`{"name":"xy"}`), limit: 12, want: wire.ErrTooLarge},
		{name: "gzip refused", body: pack(t, []byte(`{}`)), header: map[string]string{"Content-Encoding": "gzip"},
			want: wire.ErrMediaType},
		{name: "gzip allowed", body: pack(t, []byte(`{"name":"x"}`)), header: map[string]string{"Content-Encoding": "GZIP"},
			opts: []wire.Option{wire.AllowGzip(100)}},
		{name: "gzip bomb", body: pack(t, big), header: map[string]string{"Content-Encoding": "gzip"},
			opts: []wire.Option{wire.AllowGzip(100)}, want: wire.ErrTooLarge},
		{name: "gzip broken", body: []byte("not gzip at all"), header: map[string]string{"Content-Encoding": "gzip"},
			opts: []wire.Option{wire.AllowGzip(100)}, syntax: true},
		{name: "gzip cut", body: pack(t, big)[:20], header: map[string]string{"Content-Encoding": "gzip"},
			opts: []wire.Option{wire.AllowGzip(1 << 20)}, syntax: true},
		{name: "deflate", body: []byte(`{}`), header: map[string]string{"Content-Encoding": "deflate"},
			opts: []wire.Option{wire.AllowGzip(100)}, want: wire.ErrMediaType},
		{name: "identity", body: []byte(`{}`), header: map[string]string{"Content-Encoding": "identity"}},
		{name: "broken", body: []byte(`{`), syntax: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("POST", "/", bytes.NewReader(c.body))
			for k, v := range c.header {
				r.Header.Set(k, v)
			}
			if c.limit > 0 {
				r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, c.limit)
			}
			var v struct{ Name string }
			err := wire.ReadJSON(r, &v, c.opts...)
			var syntax *wire.SyntaxError
			if c.syntax != errors.As(err, &syntax) || (!c.syntax && !errors.Is(err, c.want)) {
				t.Errorf("got %v, want %v (syntax error: %v)", err, c.want, c.syntax)
			}
		})
	}
}

func TestTooLargeNamesTheLimit(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat(" ", 50)))
	r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, 10)
	var size *wire.SizeError
	if err := wire.ReadJSON(r, new(any)); !errors.As(err, &size) || size.Limit != 10 {
		t.Errorf("got %v, want the limit of 10", err)
	}
}

type brokenBody struct{ err error }

func (b brokenBody) Read([]byte) (int, error) { return 0, b.err }
func (b brokenBody) Close() error             { return nil }

func TestBodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{io.ErrUnexpectedEOF, errors.New("reset")} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Body = brokenBody{cause}
		var syntax *wire.SyntaxError
		if err := wire.ReadJSON(r, new(any)); !errors.As(err, &syntax) || !errors.Is(err, cause) {
			t.Errorf("%v: got %v, want a *SyntaxError with its cause", cause, err)
		}
	}
}

func TestReadForm(t *testing.T) {
	t.Parallel()
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		name, contentType, body string
		want                    error
		syntax                  bool
	}{
		{name: "plain", contentType: form, body: "a=1&b=%E2%82%AC&a=2"},
		{name: "charset", contentType: form + "; charset=UTF-8", body: "a=1"},
		{name: "empty", contentType: form},
		{name: "json", contentType: "application/json", body: `{}`, want: wire.ErrMediaType},
		{name: "no type", body: "a=1", want: wire.ErrMediaType},
		{name: "bad escape", contentType: form, body: "a=%zz", syntax: true},
		{name: "semicolon", contentType: form, body: "a=1;b=2", syntax: true},
		{name: "not utf-8", contentType: form, body: "a=%ff", syntax: true},
		{name: "nul in a name", contentType: form, body: "a%00=1", syntax: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("POST", "/?a=query", strings.NewReader(c.body))
			if c.contentType != "" {
				r.Header.Set("Content-Type", c.contentType)
			}
			got, err := wire.ReadForm(r)
			var syntax *wire.SyntaxError
			if c.syntax != errors.As(err, &syntax) || (!c.syntax && !errors.Is(err, c.want)) {
				t.Fatalf("got %v, want %v (syntax error: %v)", err, c.want, c.syntax)
			}
			if c.name == "plain" && (len(got["a"]) != 2 || got.Get("b") != "€") {
				t.Errorf("got %v", got)
			}
			if got.Get("a") == "query" {
				t.Errorf("the query is mixed into the form: %v", got)
			}
		})
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcdefgh", 1000)
	for _, c := range []struct {
		name, method, accept string
		value                any
		gzip                 bool
		vary                 string
	}{
		{name: "small", accept: "gzip", value: "<a&b>"},
		{name: "large plain", value: long, vary: "Accept-Encoding"},
		{name: "large gzip", accept: "gzip", value: long, gzip: true, vary: "Accept-Encoding"},
		{name: "large among others", accept: "br;q=1.0, x-gzip ; q=0.5, *;q=0", value: long, gzip: true,
			vary: "Accept-Encoding"},
		{name: "large refused", accept: "gzip;q=0, *", value: long, vary: "Accept-Encoding"},
		{name: "large refused with decimals", accept: "gzip;q=0.000", value: long, vary: "Accept-Encoding"},
		{name: "large star", accept: "*", value: long, gzip: true, vary: "Accept-Encoding"},
		{name: "large star refused", accept: "identity, *;q=0", value: long, vary: "Accept-Encoding"},
		{name: "large bad weight", accept: "gzip;q=x", value: long, vary: "Accept-Encoding"},
		{name: "large other", accept: "br, zstd", value: long, vary: "Accept-Encoding"},
		{name: "head", method: "HEAD", value: "x"},
		{name: "head gzip", method: "HEAD", accept: "gzip", value: long, gzip: true, vary: "Accept-Encoding"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			method := c.method
			if method == "" {
				method = "GET"
			}
			r := httptest.NewRequest(method, "/", nil)
			if c.accept != "" {
				r.Header.Set("Accept-Encoding", c.accept)
			}
			rec := httptest.NewRecorder()
			if err := wire.WriteJSON(rec, r, 201, c.value); err != nil {
				t.Fatal(err)
			}
			h := rec.Result().Header
			if rec.Code != 201 || h.Get("Content-Type") != "application/json; charset=utf-8" || h.Get("Vary") != c.vary {
				t.Errorf("got %d and %v", rec.Code, h)
			}
			if got := h.Get("Content-Encoding") == "gzip"; got != c.gzip {
				t.Errorf("gzip: got %v, want %v", got, c.gzip)
			}
			if method == "HEAD" {
				if rec.Body.Len() != 0 || h.Get("Content-Length") == "0" {
					t.Errorf("HEAD: %d bytes of body, length %s", rec.Body.Len(), h.Get("Content-Length"))
				}
				return
			}
			if h.Get("Content-Length") != strconv.Itoa(rec.Body.Len()) {
				t.Errorf("length: got %s, want %d", h.Get("Content-Length"), rec.Body.Len())
			}
			if got, want := unpacked(t, rec), `"`+c.value.(string)+`"`; got != want {
				t.Errorf("body: got %.50s, want %.50s", got, want)
			}
		})
	}
}

func unpacked(t *testing.T, rec *httptest.ResponseRecorder) string {
	t.Helper()
	if rec.Result().Header.Get("Content-Encoding") != "gzip" {
		return rec.Body.String()
	}
	z, err := gzip.NewReader(rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOnlyTextIsCompressed(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), 5000)
	for kind, want := range map[string]bool{
		"": true, "text/html; charset=utf-8": true, "application/problem+json": true, "image/svg+xml": true,
		"application/edn": true,
		"image/png":       false, "application/octet-stream": false, "application/gzip": false, "text/event-stream": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		rec := httptest.NewRecorder()
		if err := wire.WriteBytes(rec, r, 200, kind, body); err != nil {
			t.Fatal(err)
		}
		if got := rec.Header().Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("%q: compressed: got %v, want %v", kind, got, want)
		}
	}
}

func TestEncodeErrorWritesNothing(t *testing.T) {
	t.Parallel()
	for range 3 { // a pooled encoder must not remember the failure
		rec := httptest.NewRecorder()
		if err := wire.WriteJSON(rec, nil, 200, map[string]any{"a": "x", "b": math.NaN()}); err == nil {
			t.Error("got no error")
		}
		if rec.Body.Len() != 0 || rec.Result().Header.Get("Content-Type") != "" {
			t.Errorf("something was written: %v %s", rec.Header(), rec.Body)
		}
		if err := wire.WriteJSON(rec, nil, 200, 1); err != nil || rec.Body.String() != "1" {
			t.Errorf("afterwards: got %s, %v", rec.Body, err)
		}
	}
}

func TestWriteForms(t *testing.T) {
	t.Parallel()
	write := func(f func(http.ResponseWriter)) string {
		rec := httptest.NewRecorder()
		f(rec)
		h := rec.Result().Header
		return strconv.Itoa(rec.Code) + "|" + h.Get("Content-Type") + "|" + h.Get("Content-Length") + "|" + rec.Body.String()
	}
	for name, c := range map[string]struct{ got, want string }{
		"json": {write(func(w http.ResponseWriter) { _ = wire.WriteJSON(w, nil, 200, map[string]int{"a": 1}) }),
			"200|application/json; charset=utf-8|7|{\"a\":1}"},
		"bytes": {write(func(w http.ResponseWriter) { _ = wire.WriteBytes(w, nil, 200, "text/x", []byte("hi")) }),
			"200|text/x|2|hi"},
		"no content 204": {write(func(w http.ResponseWriter) { wire.NoContent(w, 204) }), "204|||"},
		"no content 202": {write(func(w http.ResponseWriter) { wire.NoContent(w, 202) }), "202||0|"},
		"bytes with 204": {write(func(w http.ResponseWriter) { _ = wire.WriteBytes(w, nil, 204, "", []byte("x")) }),
			"204|||"},
		"type that is set": {write(func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/problem+json")
			_ = wire.WriteJSON(w, nil, 400, 1)
		}), "400|application/problem+json|1|1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", name, c.got, c.want)
		}
	}
}

func TestETags(t *testing.T) {
	t.Parallel()
	tag := wire.ETag([]byte("body"))
	if tag == wire.ETag([]byte("bodx")) || len(tag) != 34 || tag != wire.ETag([]byte("body")) {
		t.Errorf("tag: got %s", tag)
	}
	for _, c := range []struct {
		name, method string
		sent         []string
		want         bool
	}{
		{"none", "GET", nil, false},
		{"same", "GET", []string{tag}, true},
		{"weak", "GET", []string{"W/" + tag}, true},
		{"other", "GET", []string{`"x"`}, false},
		{"list", "GET", []string{`"x", W/` + tag + `,"y"`}, true},
		{"comma inside a tag", "GET", []string{`"a,b", ` + tag}, true},
		{"two lines", "GET", []string{`"x"`, tag}, true},
		{"star", "GET", []string{"*"}, true},
		{"head", "HEAD", []string{tag}, true},
		{"post", "POST", []string{tag}, false},
		{"bare", "GET", []string{strings.Trim(tag, `"`)}, true},
		{"unclosed", "GET", []string{tag[:20]}, false},
		{"weak nothing", "GET", []string{"W/"}, false},
		{"commas", "GET", []string{",,, ,"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(c.method, "/", nil)
			r.Header["If-None-Match"] = c.sent
			rec := httptest.NewRecorder()
			if got := wire.NotModified(rec, r, tag); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if rec.Header().Get("ETag") != tag || (c.want && (rec.Code != 304 || rec.Body.Len() > 0)) {
				t.Errorf("got %d, %v, %q", rec.Code, rec.Header(), rec.Body)
			}
		})
	}
}

func TestMatchTag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header string
		want   bool
	}{
		{"", true},
		{"*", true},
		{`"a"`, true},
		{`"x", "a"`, true},
		{`"x","a"`, true},
		{` "a" ,"x"`, true},
		{`"x,y", "a"`, true},
		{`"x, "a"`, false},
		{`"x,"a","`, false},
		{`W/"a"`, false},
		{`a`, false},
		{`"b"`, false},
		{`"a`, false},
		{`,`, false},
	} {
		if got := wire.MatchTag(c.header, `"a"`); got != c.want {
			t.Errorf("MatchTag(%s): got %v, want %v", c.header, got, c.want)
		}
	}
	if wire.MatchTag(`W/"a"`, `W/"a"`) {
		t.Error("a weak tag matched, and If-Match compares strongly")
	}
}

// TestIfMatch: a condition that lists nothing is not the same as none, and one may stand on several lines.
func TestIfMatch(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lines []string
		meets bool
	}{
		"none":              {nil, true},
		"the tag":           {[]string{`"a"`}, true},
		"another":           {[]string{`"b"`}, false},
		"on the second":     {[]string{`"b"`, `"a"`}, true},
		"empty":             {[]string{""}, false},
		"blanks and commas": {[]string{" ,\t,", ""}, false},
	} {
		r := httptest.NewRequest("PUT", "/", nil)
		r.Header["If-Match"] = row.lines
		if got := wire.MatchTag(wire.IfMatch(r), `"a"`); got != row.meets {
			t.Errorf("%s: met %t, want %t", name, got, row.meets)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"aéé", 2, "a…"},
		{"aéé", 3, "aé…"},
		{"\x80\x80\x80", 2, "…"},
		{"ab", 0, "…"},
	} {
		if got := wire.Clip(c.text, c.n); got != c.want {
			t.Errorf("Clip(%q, %d): got %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// A strong tag cannot cover two encodings; the compressed answer gets a weak
// one, which still matches on the next request.
func TestGzipWeakensTheTag(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), 5000)
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	rec := httptest.NewRecorder()
	tag := wire.ETag(body)
	wire.NotModified(rec, r, tag)
	if err := wire.WriteBytes(rec, r, 200, "text/plain", body); err != nil {
		t.Fatal(err)
	}
	got := rec.Header().Get("ETag")
	r.Header.Set("If-None-Match", got)
	if got != "W/"+tag || !wire.NotModified(httptest.NewRecorder(), r, tag) {
		t.Errorf("got %s, want a weak tag that matches %s", got, tag)
	}
}

func TestWholeSeconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Minute: "0", 0: "0", 1: "1", time.Second: "1", time.Second + 1: "2", time.Hour: "3600",
	} {
		if got := wire.WholeSeconds(d); got != want {
			t.Errorf("WholeSeconds(%v) = %q, want %q", d, got, want)
		}
	}
}
