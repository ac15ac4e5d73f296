package forge

import (
	"bytes"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A list of files is refused in the words of the forge, and only for its size.
func FuzzTreeList(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte("100644 blob abc      12\ta/b\x00120000 blob abc       3\tl\x00160000 commit abc       -\tm\x00"),
		[]byte("100644 blob abc 9223372036854775807\ta\x00100644 blob abc 9223372036854775807\tb\x00"),
		[]byte("100644 blob abc -5\ta\x00"), []byte("x"), []byte("\x00\x00"), bytes.Repeat([]byte("a/"), 2000),
	)
	f.Fuzz(func(t *testing.T, list []byte) {
		err := addEntries(bytes.NewReader(list), 1<<20, 1<<20)
		var own *Error
		if err != nil && !errors.As(err, &own) && len(list) > 0 && list[len(list)-1] == 0 {
			t.Errorf("%q: got %v", list, err)
		}
	})
}
