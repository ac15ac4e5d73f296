package engine

import (
	"strings"
	"unicode/utf8"
)

// StopMatcher finds stop sequences in a growing text. It holds back its end:
// bytes that are not yet a whole character, and what may turn out to be the
// start of a stop sequence.
type StopMatcher struct {
	stops []string
	held  []byte
}

// NewStopMatcher makes a StopMatcher for the stop sequences.
func NewStopMatcher(stops []string) *StopMatcher { return &StopMatcher{stops: stops} }

// Push takes the next bytes and gives the text that is certain now. When a stop
// sequence is complete, the text ends before it and stopped is true; what
// follows it is left for Rest.
func (m *StopMatcher) Push(b []byte) (text string, stopped bool) {
	m.held = append(m.held, b...)
	// The sequence that is complete first counts, however the text was cut.
	first, end := -1, 0
	for _, stop := range m.stops {
		i := strings.Index(string(m.held), stop)
		if i >= 0 && (first < 0 || i+len(stop) < end || i+len(stop) == end && i < first) {
			first, end = i, i+len(stop)
		}
	}
	if first >= 0 {
		text, m.held = string(m.held[:first]), m.held[end:]
		return strings.ToValidUTF8(text, "\uFFFD"), true
	}
	certain := len(m.held) - m.unsure()
	text = string(m.held[:certain])
	m.held = append([]byte(nil), m.held[certain:]...)
	return strings.ToValidUTF8(text, "\uFFFD"), false
}

// Rest gives what was held back, once nothing more comes.
func (m *StopMatcher) Rest() string {
	rest := strings.ToValidUTF8(string(m.held), "\uFFFD")
	m.held = nil
	return rest
}

// unsure is how many bytes at the end cannot be passed on yet.
func (m *StopMatcher) unsure() int {
	held := 0
	for i := 1; i <= min(utf8.UTFMax-1, len(m.held)); i++ {
		b := m.held[len(m.held)-i]
		if utf8.RuneStart(b) {
			if !utf8.FullRune(m.held[len(m.held)-i:]) {
				held = i
			}
			break
		}
	}
	for _, stop := range m.stops {
		for n := min(len(stop)-1, len(m.held)); n > held; n-- {
			if strings.HasSuffix(string(m.held), stop[:n]) {
				held = n
				break
			}
		}
	}
	return held
}
