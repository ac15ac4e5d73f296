package settings

import (
	"testing"

	"stoa.dev/stoa/internal/platform/dialect"
)

// TestWords: a setting with a brand word is answered in the words of the dialect.
func TestWords(t *testing.T) {
	t.Parallel()
	d, err := dialect.Load(dialect.SDK)
	if err != nil {
		t.Fatal(err)
	}
	u := New(Options{Dialect: d})
	first := u.defaults()[0]
	if got := u.toWire(first); got.ID == first.id || got.ETag != `"000"` || got.Tag() != got.ETag {
		t.Errorf("%+v of %q", got, first.id)
	}
}
