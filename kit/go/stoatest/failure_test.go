package stoatest_test

import (
	"fmt"

	"stoa.dev/stoa/kit/go/stoatest"
)

// recorder is a test that may fail without failing the one that runs it.
type recorder struct{ said string }

func (r *recorder) Error(args ...any) { r.said += fmt.Sprint(args...) }

// failure is what a test that does so would print.
func failure(w *stoatest.TestWorld, do func(*stoatest.TestWorld)) string {
	r := &recorder{}
	do(stoatest.Recorded(w, r))
	return r.said
}
