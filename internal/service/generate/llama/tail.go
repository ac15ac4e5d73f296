package llama

import (
	"strings"
	"unicode/utf8"
)

// Tail holds back the end of a growing text: bytes that are not yet a whole
// character, and what may turn out to be the start of a stop sequence.
type Tail struct {
	stops []string
	held  []byte
}

// NewTail makes a Tail for the stop sequences.
func NewTail(stops []string) *Tail { return &Tail{stops: stops} }

// Push takes the next bytes and gives the text that is certain now. When a stop
// sequence is complete, the text ends before it and stopped is true; what
// follows it is left for Rest.
func (t *Tail) Push(b []byte) (text string, stopped bool) {
	t.held = append(t.held, b...)
	// The sequence that is complete first counts, however the text was cut.
	first, end := -1, 0
	for _, stop := range t.stops {
		i := strings.Index(string(t.held), stop)
		if i >= 0 && (first < 0 || i+len(stop) < end || i+len(stop) == end && i < first) {
			first, end = i, i+len(stop)
		}
	}
	if first >= 0 {
		text, t.held = string(t.held[:first]), t.held[end:]
		return strings.ToValidUTF8(text, "\uFFFD"), true
	}
	certain := len(t.held) - t.unsure()
	text = string(t.held[:certain])
	t.held = append([]byte(nil), t.held[certain:]...)
	return strings.ToValidUTF8(text, "\uFFFD"), false
}

// Rest gives what was held back, once nothing more comes.
func (t *Tail) Rest() string {
	rest := strings.ToValidUTF8(string(t.held), "\uFFFD")
	t.held = nil
	return rest
}

// unsure is how many bytes at the end cannot be passed on yet.
func (t *Tail) unsure() int {
	most := 0
	for i := 1; i <= min(utf8.UTFMax-1, len(t.held)); i++ {
		b := t.held[len(t.held)-i]
		if utf8.RuneStart(b) {
			if !utf8.FullRune(t.held[len(t.held)-i:]) {
				most = i
			}
			break
		}
	}
	for _, stop := range t.stops {
		for n := min(len(stop)-1, len(t.held)); n > most; n-- {
			if strings.HasSuffix(string(t.held), stop[:n]) {
				most = n
				break
			}
		}
	}
	return most
}
