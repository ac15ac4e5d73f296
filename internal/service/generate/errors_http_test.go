package generate

import (
	"bytes"
	"mime"
	"mime/multipart"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

// TestEnvelope fixes the answer to every common error and to our own.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	s := New(world.Blueprint(world.Options{}), nil, DefaultConfig(), func(string) string { return "" })
	own := func(name string, err error) routetest.Case { return routetest.Case{Name: "own/" + name, Err: err} }
	routetest.Envelope(t, s.writeError,
		own("invalid", api.ErrInvalidField("generationConfig.topP", "must be 0 to 1, not 2")),
		own("no model", errNoModel("x", methodGenerate)),
		own("no file", api.ErrForbidden("you do not have permission to access the file %s, or it does not exist", "x")),
		own("no cache", errNoCache("x")),
		own("precondition", api.ErrPrecondition("the file x is not in an ACTIVE state")),
		own("busy", &api.Error{Code: api.CodeExhausted, Message: "the model is busy", RetryAfter: time.Second}),
		own("unavailable", api.ErrUnavailable(nil, "the model's server cannot be reached")),
		own("deadline", &api.Error{Code: api.CodeDeadline, Message: "the model's server fell silent"}),
		own("offset", &files.SessionError{
			Status: files.StatusOffset, State: files.UploadActive, Message: "the upload has 3 bytes",
		}),
		own("no session", files.ErrNoSession("there is no such upload session")),
		own("cancelled", files.ErrEnded(files.Upload{State: files.UploadCancelled})),
	)
}

// FuzzUploadBody reads metadata and multipart bodies as any client may send them.
func FuzzUploadBody(f *testing.F) {
	s := New(world.Blueprint(world.Options{}), nil, DefaultConfig(), func(string) string { return "" })
	fuzztest.Add(f, "multipart/related; boundary=b",
		[]byte("--b\r\n\r\n{\"file\":{\"name\":\"files/a\"}}\r\n--b\r\n\r\nx\r\n--b--"))
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
		if err := s.readMetadata(first, &meta); err == nil && len(meta.File.Name) > maxMetadata {
			t.Errorf("a name of %d bytes passed", len(meta.File.Name))
		}
	})
}
