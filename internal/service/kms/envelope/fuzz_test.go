package envelope

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/ids"
)

// Only what was sealed opens, with its additional data alone.
func FuzzOpen(f *testing.F) {
	k := key(f, ids.Seeded(1))
	good, err := k.Seal([]byte("secret"), []byte("data"))
	if err != nil {
		f.Fatal(err)
	}
	fuzztest.Add(f, good, []byte("data"))
	fuzztest.Add(f, good[:Overhead-1], []byte("data"))
	fuzztest.Add(f, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, sealed, data []byte) {
		plain, err := k.Open(sealed, data)
		if same := string(sealed) == string(good) && string(data) == "data"; same != (err == nil) || same &&
			string(plain) != "secret" {
			t.Errorf("%x with %q: got %q, %v", sealed, data, plain, err)
		}
		if err != nil && !errors.Is(err, ErrOpen) {
			t.Errorf("got %v, want ErrOpen", err)
		}
	})
}
