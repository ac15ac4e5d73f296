package control

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
)

// failing is a file that does not close.
type failing struct {
	strings.Reader
	err error
}

func (f *failing) Close() error { return f.err }

// TestFileThatDoesNotClose: the failure to close what was sent is told.
func TestFileThatDoesNotClose(t *testing.T) {
	t.Parallel()
	file := &failing{Reader: *strings.NewReader("the world"), err: errors.New("the disk is gone")}
	w := httptest.NewRecorder()
	if err := sendWorld(w, "first", file); !errors.Is(err, file.err) {
		t.Errorf("a file that does not close: %v, want its error", err)
	}
	if w.Body.String() != "the world" {
		t.Errorf("sent %q", w.Body)
	}
}
