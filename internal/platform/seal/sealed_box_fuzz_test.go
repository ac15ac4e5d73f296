package seal

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/ids"
)

// Only what was sealed opens, and only where it belongs.
func FuzzOpen(f *testing.F) {
	b := newBox(make([]byte, keySize), ids.Seeded(1))
	good := b.Seal([]byte("secret"), []byte("row 1"))
	fuzztest.Add(f, good, []byte("row 1"))
	fuzztest.Add(f, good, []byte("row 2"))
	fuzztest.Add(f, []byte{version}, []byte{})
	f.Fuzz(func(t *testing.T, sealed, aad []byte) {
		plain, err := b.Open(sealed, aad)
		if same := string(sealed) == string(good) && string(aad) == "row 1"; same != (err == nil) || same &&
			string(plain) != "secret" {
			t.Errorf("%x for %q: got %q, %v", sealed, aad, plain, err)
		}
		if err != nil && !errors.Is(err, ErrOpen) {
			t.Errorf("got %v, want ErrOpen", err)
		}
	})
}
