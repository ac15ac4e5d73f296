package execute

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// mask replaces secrets in a stream of bytes, also where a secret is cut in two
// by the border between two reads. It is made once for a job and never changed.
type mask struct {
	// pairs has a bit for every two bytes that a secret starts with, so that
	// most positions cost one look.
	pairs [1 << 16 / 64]uint64
	// byFirst holds the secrets by their first byte, longest first.
	byFirst [256][][]byte
	longest int
	// stars stand for a secret of any length.
	stars []byte
}

// Secrets shorter than these are not masked: hiding every "1" of a log hides
// the log and shows the secret. Lines of a longer secret count by themselves,
// as a terminal may print them alone.
const (
	minSecret     = 4
	minSecretLine = 8
)

func newMask(secrets []string) *mask {
	m := &mask{stars: []byte("****")}
	var all [][]byte
	add := func(s string, least int) {
		if len(s) >= least && s != "true" && s != "false" {
			all = append(all, []byte(s))
		}
	}
	for _, s := range secrets {
		add(s, minSecret)
		trimmed := strings.TrimSpace(s)
		add(trimmed, minSecret)
		if strings.Contains(trimmed, "\n") {
			for line := range strings.Lines(trimmed) {
				add(strings.TrimSpace(line), minSecretLine)
			}
		}
	}
	slices.SortFunc(all, func(a, b []byte) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return bytes.Compare(a, b)
	})
	all = slices.CompactFunc(all, bytes.Equal)
	for _, s := range all {
		m.longest = max(m.longest, len(s))
		m.byFirst[s[0]] = append(m.byFirst[s[0]], s)
		pair := uint16(s[0])<<8 | uint16(s[1])
		m.pairs[pair/64] |= 1 << (pair % 64)
	}
	return m
}

// scan passes p on through emit, secrets replaced, and returns how much of it.
// The rest may be the beginning of a secret and must come again with what
// follows. At the end of a stream nothing is held back.
func (m *mask) scan(p []byte, end bool, emit func([]byte) error) (passed int, err error) {
	if m.longest == 0 {
		if len(p) == 0 {
			return 0, nil
		}
		return len(p), emit(p)
	}
	from := 0
	for i := 0; i < len(p); {
		if i+1 < len(p) {
			pair := uint16(p[i])<<8 | uint16(p[i+1])
			if m.pairs[pair/64]&(1<<(pair%64)) == 0 {
				i++
				continue
			}
		} else if len(m.byFirst[p[i]]) == 0 {
			i++
			continue
		}
		n, partial := m.match(p[i:])
		if partial && !end {
			if i > from {
				err = emit(p[from:i])
			}
			return i, err
		}
		if n == 0 {
			i++
			continue
		}
		if i > from {
			if err := emit(p[from:i]); err != nil {
				return i, err
			}
		}
		if err := emit(m.stars); err != nil {
			return i, err
		}
		i += n
		from = i
	}
	if from < len(p) {
		err = emit(p[from:])
	}
	return len(p), err
}

// hide replaces secrets in what the engine itself says.
func (m *mask) hide(text string) string {
	var b strings.Builder
	_, _ = m.scan([]byte(text), true, func(p []byte) error { // a builder never fails
		b.Write(p)
		return nil
	})
	return b.String()
}

// hideError is an error whose text holds no secret.
func (m *mask) hideError(err error) error {
	if err == nil {
		return nil
	}
	if text := m.hide(err.Error()); text != err.Error() {
		return &hidden{text: text, cause: err}
	}
	return err
}

// hidden is an error that says less than its cause.
type hidden struct {
	text  string
	cause error
}

func (h *hidden) Error() string { return h.text }

// Is keeps the families of the cause known, and its text out of reach.
func (h *hidden) Is(target error) bool { return errors.Is(h.cause, target) }

// match returns the length of the longest secret that p begins with, and
// whether a longer one may turn up when more of p is known.
func (m *mask) match(p []byte) (n int, partial bool) {
	for _, s := range m.byFirst[p[0]] {
		if len(s) > len(p) {
			partial = partial || bytes.HasPrefix(s, p)
			continue
		}
		if bytes.HasPrefix(p, s) {
			return len(s), partial
		}
	}
	return 0, partial
}
