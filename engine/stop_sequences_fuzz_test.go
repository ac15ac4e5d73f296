package engine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/enginetest"
)

// What is said does not depend on how it was cut, and ends before the stop
// sequence.
func FuzzStopMatcher(f *testing.F) {
	enginetest.AddSeed(f, "hello END more", "END", uint8(1))
	enginetest.AddSeed(f, "aaab", "aab", uint8(2))
	enginetest.AddSeed(f, "h\xc3\xa9\xff\xe2\x82", "é", uint8(1))
	enginetest.AddSeed(f, "", "x", uint8(3))
	f.Fuzz(func(t *testing.T, text, stop string, size uint8) {
		if stop == "" || !utf8.ValidString(stop) {
			return // requests are JSON
		}
		whole, stopped := sayAll(text, stop, len(text)+1)
		parts, again := sayAll(text, stop, int(size%8)+1)
		if whole != parts || stopped != again {
			t.Errorf("%q up to %q: whole %q %v, in parts %q %v", text, stop, whole, stopped, parts, again)
		}
		before, _, found := strings.Cut(text, stop)
		if found != stopped || once(strings.ToValidUTF8(before, "\uFFFD")) != whole {
			t.Errorf("%q up to %q: got %q %v", text, stop, whole, stopped)
		}
	})
}

func sayAll(text, stop string, step int) (string, bool) {
	m := engine.NewStopMatcher([]string{stop})
	var out strings.Builder
	for at := 0; at < len(text); at += step {
		said, stopped := m.Push([]byte(text[at:min(at+step, len(text))]))
		out.WriteString(said)
		if stopped {
			return once(out.String()), true
		}
	}
	out.WriteString(m.Rest())
	return once(out.String()), false
}

// once says a run of replacement characters once: how many stand for a run of
// broken bytes depends on how it was cut.
func once(text string) string {
	for strings.Contains(text, "\uFFFD\uFFFD") {
		text = strings.ReplaceAll(text, "\uFFFD\uFFFD", "\uFFFD")
	}
	return text
}
