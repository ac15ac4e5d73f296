package git

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

func TestPushList(t *testing.T) {
	t.Parallel()
	list := Packet("old new refs/heads/a") + Packet("old new refs/heads/b") + "0000"
	for name, row := range map[string]struct {
		body  string
		limit int
		want  error
	}{
		"fits":         {list + "PACK and so on", 2, nil},
		"one too many": {list, 1, ErrTooLarge},
		"nothing":      {"", 2, ErrInvalid},
		"no end":       {Packet("old new refs/heads/a"), 2, ErrInvalid},
		"no number":    {"zzzz", 2, ErrInvalid},
		"too short":    {"0003", 2, ErrInvalid},
		"too long":     {"ffff" + strings.Repeat("x", 70000), 2, ErrInvalid},
		"cut off":      {"0010abc", 2, ErrInvalid},
		"no text":      {Packet("old new refs/heads/\xff") + "0000", 2, ErrInvalid},
		"a long name":  {Packet("old new refs/heads/"+strings.Repeat("n", 245)) + "0000", 2, ErrInvalid},
		"capabilities": {Packet("old new refs/heads/a\x00report-status "+strings.Repeat("n", 245)) + "0000", 2, nil},
		"shallow":      {Packet("shallow "+strings.Repeat("a", 40)) + list, 3, nil},
	} {
		list, err := ReadPushList(strings.NewReader(row.body), row.limit)
		if row.want != nil {
			if !errors.Is(err, row.want) {
				t.Errorf("%s: got %v, want %v", name, err, row.want)
			}
			continue
		}
		if err != nil || !strings.HasSuffix(row.body[:list.Length], "0000") || len(list.Refs) == 0 {
			t.Errorf("%s: got %+v %v", name, list, err)
		}
	}
}

// FuzzPushList: what is accepted ends with its end, names refs that can go on
// record, and is refused in packets.
func FuzzPushList(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte(Packet("old new refs/heads/a")+"0000PACK"),
		[]byte(Packet(Zero+" "+Zero+" refs/heads/a\x00 report-status side-band-64k")+"0000"),
		[]byte(Packet(Zero+" "+Zero+" refs/heads/a\x00report-status-v2 side-band")+Packet("shallow x")+"0000"),
		[]byte("0000"),
		[]byte("fffe"),
		[]byte("0004"),
	)
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := ReadPushList(bytes.NewReader(body), 8)
		if err != nil {
			return
		}
		n := int(list.Length)
		if n > len(body) || string(body[n-4:n]) != "0000" || len(list.Refs) > 8 || list.Created > len(list.Refs) {
			t.Errorf("got %+v of %q", list, body)
		}
		for _, ref := range list.Refs {
			if !ValidRefName(ref) {
				t.Errorf("%q is not valid", ref)
			}
		}
		for rest := list.Refusal("why\nnot"); len(rest) > 0; {
			n, err := strconv.ParseUint(string(rest[:4]), 16, 32)
			if err != nil || n > maxPacket || int(n) > len(rest) {
				t.Fatalf("the refusal is not in packets: %q", rest)
			}
			rest = rest[max(n, 4):]
		}
	})
}
