package uploadparts_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/uploadparts"
)

// FuzzParts: no body is read further than its heads may be long before its file begins.
func FuzzParts(f *testing.F) {
	fuzztest.Strings(f,
		"--b\r\n\r\n{}\r\n--b\r\nX: y\r\n\r\nfile\r\n--b--", "--b", "--b\r\nX",
		strings.Repeat("--b\r\n", 50_000))
	f.Fuzz(func(t *testing.T, body string) {
		read := strings.NewReader(body)
		p := uploadparts.New(read, "b")
		first, err := p.Metadata()
		if err == nil {
			_, _ = io.Copy(io.Discard, first) // the next part says what is wrong
			_, err = p.File()
		}
		if len(body)-read.Len() > 128<<10+4096 {
			t.Errorf("%d bytes were read", len(body)-read.Len())
		}
		if len(body) > 256<<10 && err != nil && read.Len() > 0 && !errors.Is(p.Refusal(err), wire.ErrTooLarge) &&
			len(body)-read.Len() == 128<<10 {
			t.Errorf("%v, want that it is too large", err)
		}
	})
}
