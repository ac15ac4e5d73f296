package generate

import (
	"bytes"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/world"
)

// TestEnvelope fixes the answer to every ground error and to our own.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	s := New(world.Blueprint(world.Options{}), nil, DefaultConfig(), func(string) string { return "" })
	routetest.Envelope(t, s.writeError,
		routetest.Case{Name: "own/invalid", Err: errInvalid("generationConfig.topP", "must be 0 to 1, not 2")},
		routetest.Case{Name: "own/no model", Err: errNoModel("x", methodGenerate)},
		routetest.Case{Name: "own/no file", Err: errNoFile("x")},
		routetest.Case{Name: "own/no cache", Err: errNoCache("x")},
		routetest.Case{Name: "own/precondition", Err: errPrecondition("the file x is not in an ACTIVE state")},
		routetest.Case{Name: "own/busy", Err: &Error{Code: CodeExhausted, Message: "the model is busy", RetryAfter: time.Second}},
		routetest.Case{Name: "own/unavailable", Err: errUnavailable(nil, "the model's server cannot be reached")},
		routetest.Case{Name: "own/deadline", Err: &Error{Code: CodeDeadline, Message: "the model's server fell silent"}},
		routetest.Case{Name: "own/offset", Err: &sessionError{status: statusOffset, state: UploadActive, message: "the upload has 3 bytes"}},
		routetest.Case{Name: "own/no session", Err: &sessionError{status: statusNoSession, state: UploadCancelled, message: "there is no such upload session"}},
		routetest.Case{Name: "own/cancelled", Err: ended(Upload{State: UploadCancelled})},
	)
}

// FuzzUploadBody reads metadata and multipart bodies that strangers made.
func FuzzUploadBody(f *testing.F) {
	s := New(world.Blueprint(world.Options{}), nil, DefaultConfig(), func(string) string { return "" })
	fuzztest.Add(f, "multipart/related; boundary=b", []byte("--b\r\n\r\n{\"file\":{\"name\":\"files/a\"}}\r\n--b\r\n\r\nx\r\n--b--"))
	fuzztest.Add(f, "multipart/related; boundary=", []byte("--"))
	fuzztest.Add(f, "text/plain", []byte(`{"file":{"display_name":"x","displayName":"y"}}`))
	fuzztest.Add(f, "multipart/mixed; boundary=\"a b\"", []byte("--a b\r\nContent-Length: -1\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		var meta fileMetadata
		if err := s.readMetadata(bytes.NewReader(body), &meta); err == nil && len(body) == 0 && meta != (fileMetadata{}) {
			t.Errorf("nothing became %+v", meta)
		}
		_, params, err := mime.ParseMediaType(contentType)
		if err != nil || params["boundary"] == "" {
			return
		}
		first, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).NextPart()
		if err != nil {
			return
		}
		if err := s.readMetadata(first, &meta); err != nil {
			return
		}
		n := NewFile{Name: meta.File.Name, DisplayName: meta.File.DisplayName, MimeType: meta.File.MimeType, Length: -1}
		if err := s.checkNewFile(&n); err == nil && (!fileName(n.Name) || strings.ContainsAny(n.Name, "/.")) {
			t.Errorf("the name %q passed", n.Name)
		}
	})
}
