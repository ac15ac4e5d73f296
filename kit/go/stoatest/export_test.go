package stoatest

import "testing"

// recording is a test whose errors another keeps.
type recording struct {
	testing.TB
	to interface{ Error(args ...any) }
}

func (r recording) Error(args ...any) { r.to.Error(args...) }

// Recorded is the world with its test's errors kept by another.
func Recorded(w *TestWorld, to interface{ Error(args ...any) }) *TestWorld {
	other := *w
	other.t = recording{TB: w.t, to: to}
	return &other
}

// OptionError is what an option is refused for.
func OptionError(o Option) error {
	var b birth
	o(&b)
	return b.err
}
