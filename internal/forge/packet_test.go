package forge

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestCheckedCommands(t *testing.T) {
	t.Parallel()
	list := packet("old new refs/heads/a") + packet("old new refs/heads/b") + "0000"
	for name, row := range map[string]struct {
		body string
		most int
		want error
	}{
		"fits":         {list + "PACK and so on", 2, nil},
		"one too many": {list, 1, ErrTooLarge},
		"nothing":      {"", 2, ErrInvalid},
		"no end":       {packet("old new refs/heads/a"), 2, ErrInvalid},
		"no number":    {"zzzz", 2, ErrInvalid},
		"too short":    {"0003", 2, ErrInvalid},
		"too long":     {"ffff" + strings.Repeat("x", 70000), 2, ErrInvalid},
		"cut off":      {"0010abc", 2, ErrInvalid},
		"no text":      {packet("old new refs/heads/\xff") + "0000", 2, ErrInvalid},
		"a long name":  {packet("old new refs/heads/"+strings.Repeat("n", 245)) + "0000", 2, ErrInvalid},
		"capabilities": {packet("old new refs/heads/a\x00report-status "+strings.Repeat("n", 245)) + "0000", 2, nil},
		"shallow":      {packet("shallow "+strings.Repeat("a", 40)) + list, 3, nil},
	} {
		whole, err := checkedCommands(strings.NewReader(row.body), row.most)
		if row.want != nil {
			if !errors.Is(err, row.want) {
				t.Errorf("%s: got %v, want %v", name, err, row.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := io.ReadAll(whole); err != nil || string(got) != row.body {
			t.Errorf("%s: the body comes back as %q %v", name, got, err)
		}
	}
}

// FuzzCountedCommands: whatever is accepted comes back unchanged.
func FuzzCountedCommands(f *testing.F) {
	f.Add([]byte(packet("old new refs/heads/a") + "0000PACK"))
	f.Add([]byte("0000"))
	f.Add([]byte("fffe"))
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, err := checkedCommands(strings.NewReader(string(body)), 8)
		if err != nil {
			return
		}
		if got, err := io.ReadAll(whole); err != nil || string(got) != string(body) {
			t.Errorf("got %q %v, want %q", got, err, body)
		}
	})
}
