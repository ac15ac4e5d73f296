package wire

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
)

// bodies holds idle read buffers. It is a cache of memory, not of state:
// encoding/json copies whatever it keeps.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ReadJSON reads the body into dst. It refuses what is larger than the route
// allows (ErrTooLarge), encoded or, if an option asks, typed otherwise
// (ErrMediaType), empty (ErrEmptyBody), and with a *SyntaxError whatever is not
// exactly one JSON text that fits dst. Members that dst does not have are
// ignored.
func ReadJSON(r *http.Request, dst any, opts ...Option) error {
	s := collect(opts)
	buf := bodies.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= keptBuffer {
			buf.Reset()
			bodies.Put(buf)
		}
	}()
	if err := s.read(r, buf); err != nil {
		return err
	}
	if w, ok := r.Body.(Weigher); ok {
		s.weigher = w
	}
	// The type is judged only when there is something to judge.
	if buf.Len() > 0 && !s.typeAllowed(r) {
		return ErrMediaType
	}
	if err := s.decode(buf.Bytes(), dst); err != nil {
		return err
	}
	Note(r.Body, dst)
	return nil
}

// ReadForm reads an application/x-www-form-urlencoded body. Values are UTF-8
// text without NUL. The query is not looked at.
func ReadForm(r *http.Request) (url.Values, error) {
	s := settings{mediaTypes: []string{"application/x-www-form-urlencoded"}}
	if !s.typeAllowed(r) {
		return nil, ErrMediaType
	}
	buf := bodies.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= keptBuffer {
			buf.Reset()
			bodies.Put(buf)
		}
	}()
	if err := s.read(r, buf); err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(buf.String())
	if err != nil {
		return nil, &SyntaxError{Reason: "the form is not valid: " + err.Error(), cause: err}
	}
	for name, values := range form {
		for _, v := range append([]string{name}, values...) {
			if !utf8.ValidString(v) || strings.IndexByte(v, 0) >= 0 {
				return nil, &SyntaxError{Reason: "the form must be UTF-8 text without NUL"}
			}
		}
	}
	return form, nil
}

// read copies the body, unpacked if need be, into buf.
func (s *settings) read(r *http.Request, buf *bytes.Buffer) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body := io.Reader(r.Body)
	limit := int64(0)
	weigher, _ := r.Body.(Weigher)
	switch coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); {
	case coding == "" || coding == "identity":
		if n := r.ContentLength; n > 0 && n <= 1<<20 {
			buf.Grow(int(n) + bytes.MinRead) // one read, no growing
		}
	case coding == "gzip" && s.gzipMax > 0:
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return readError(err)
		}
		defer func() { _ = unpacked.Close() }() // fails only as the reads did
		body = &unpackedBody{Reader: unpacked, weigher: weigher}
		limit = s.gzipMax
	default:
		return ErrMediaType
	}
	if limit > 0 {
		body = io.LimitReader(body, limit+1)
	}
	n, err := buf.ReadFrom(body)
	if err != nil {
		return readError(err)
	}
	if limit > 0 && n > limit {
		return &SizeError{Limit: limit}
	}
	return nil
}

// unpackedBody takes memory for what a packed body grows to, as it grows.
type unpackedBody struct {
	io.Reader
	weigher Weigher
}

// Read refuses what the budget does not cover.
func (b *unpackedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if n > 0 && b.weigher != nil {
		if refused := b.weigher.Weigh(unpackedWeight * int64(n)); refused != nil {
			return 0, refused
		}
	}
	return n, err
}

// readError tells a body that is too large from one that cannot be read; the
// latter is always the sender's fault or loss.
func readError(err error) error {
	var tooLarge *http.MaxBytesError
	var busy interface{ Busy() bool }
	switch {
	case errors.As(err, &tooLarge):
		return &SizeError{Limit: tooLarge.Limit}
	case errors.Is(err, ErrTooLarge), errors.As(err, &busy):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &SyntaxError{Reason: "the body ended early", cause: err}
	}
	return &SyntaxError{Reason: "the body could not be read", cause: err}
}

// typeAllowed compares the Content-Type with the accepted ones.
func (s *settings) typeAllowed(r *http.Request) bool {
	if len(s.mediaTypes) == 0 {
		return true
	}
	got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return false
	}
	for _, want := range s.mediaTypes {
		if got == want || (want == "application/json" && strings.HasSuffix(got, "+json")) {
			return true
		}
	}
	return false
}
