package local

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A program that is packed comes out as it was; what is damaged is refused.
func FuzzExpand(f *testing.F) {
	fuzztest.Bytes(f, []byte("\x7fELF program"), []byte("\x1f\x8b"), bytes.Repeat([]byte("x"), 5000))
	f.Fuzz(func(t *testing.T, program []byte) {
		var packed strings.Builder
		out := gzip.NewWriter(&packed)
		if _, err := out.Write(program); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := expand(packed.String()); err != nil || !bytes.Equal(got, program) {
			t.Errorf("%d bytes came out as %d, %v", len(program), len(got), err)
		}
		if _, err := expand(packed.String()[:packed.Len()-1]); err == nil {
			t.Error("a cut program was accepted")
		}
	})
}
