package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A tag that is in the list is found whatever stands before it, and none is
// found where its letters are missing.
func FuzzIfNoneMatch(f *testing.F) {
	fuzztest.Strings(f, `"a"`, `W/"a", "b"`, `*`, `a`, `"a,b", "c"`, `"`, `,, ,W/`, `W/W/"a"`, `"x" "y"`)
	const tag = `"0123456789abcdef"`
	f.Fuzz(func(t *testing.T, list string) {
		w := httptest.NewRecorder()
		got := NotModified(w, &http.Request{Method: "GET", Header: http.Header{"If-None-Match": {list}}}, tag)
		if got && !strings.Contains(list, strings.Trim(tag, `"`)) && !strings.Contains(list, "*") {
			t.Errorf("%q: matches", list)
		}
		if got != (w.Code == http.StatusNotModified) {
			t.Errorf("%q: got %v and %d", list, got, w.Code)
		}
		if strings.Count(list, `"`)%2 == 0 && !strings.Contains(list, `"`) && !listsWeakly(list+", "+tag, tag) {
			t.Errorf("%q followed by the tag: no match", list)
		}
	})
}

// The weight is always one of the protocol, and the answer depends on the words
// of the header alone.
func FuzzAcceptEncoding(f *testing.F) {
	fuzztest.Strings(f, "gzip", "gzip;q=0", "x-gzip;q=0.5, *;q=0", "*", "identity", "gzip;q=NaN", "gzip;q=1e-400",
		"gzip ; q = 0.1", "br;q=1.0, gzip;q=-0")
	f.Fuzz(func(t *testing.T, header string) {
		got := acceptsGzip(http.Header{"Accept-Encoding": {header}})
		if got && !strings.Contains(strings.ToLower(header), "gzip") && !strings.Contains(header, "*") {
			t.Errorf("%q accepts gzip", header)
		}
		if _, params, found := strings.Cut(header, ";"); found {
			if q := weight(params); !(q >= 0 && q <= 1) {
				t.Errorf("%q weighs %v", params, q)
			}
		}
		compressible(header)
	})
}

// A form is UTF-8 text without NUL or an error of the closed list, whatever the
// media type and the body are.
func FuzzReadForm(f *testing.F) {
	const form = "application/x-www-form-urlencoded"
	fuzztest.Add(f, form, "", []byte("a=b&c=%ff"))
	fuzztest.Add(f, form+"; charset=utf-8", "identity", []byte("a=%00"))
	fuzztest.Add(f, form+";;", "gzip", []byte("a;b=c&%zz=1"))
	fuzztest.Add(f, "Application/X-www-Form-Urlencoded ; a=b; a=c", "", []byte(strings.Repeat("a=b&", 300)))
	f.Fuzz(func(t *testing.T, contentType, coding string, body []byte) {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Content-Encoding", coding)
		got, err := ReadForm(r)
		checkRefusal(t, err)
		for name, values := range got {
			for _, text := range append(values, name) {
				if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
					t.Errorf("%q: got %q", body, text)
				}
			}
		}
	})
}

// What is unpacked is bounded, and what cannot be is refused.
func FuzzReadGzip(f *testing.F) {
	fuzztest.Bytes(f, packed(f, `{"a":1}`), packed(f, "["+strings.Repeat("0,", 5000)+"0]"), packed(f, ""),
		[]byte("\x1f\x8b\x08"), []byte(`{}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
		r.Header.Set("Content-Encoding", "gzip")
		var buf bytes.Buffer
		s := settings{gzipMax: 1000}
		err := s.read(r, &buf)
		checkRefusal(t, err)
		if err == nil && buf.Len() > 1000 {
			t.Errorf("unpacked to %d bytes", buf.Len())
		}
		if buf.Len() > 2000 {
			t.Errorf("read %d bytes before refusing", buf.Len())
		}
	})
}

func packed(f *testing.F, text string) []byte {
	f.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		f.Fatal(err)
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	var syntax *SyntaxError
	if err != nil && !errors.As(err, &syntax) && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrMediaType) &&
		!errors.Is(err, ErrEmptyBody) {
		t.Errorf("got %T %v, want an error of the closed list", err, err)
	}
}
