package wire_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/wire"
)

type unreadInner struct {
	Kept string `json:"kept"`
}

type outer struct {
	unreadInner
	Title  string `json:"title,omitempty"`
	Plain  int
	Hidden string                     `json:"-"`
	List   []*unreadInner             `json:"list"`
	Map    map[string]unreadInner     `json:"map"`
	Maybe  wire.Optional[unreadInner] `json:"maybe"`
	Raw    json.RawMessage            `json:"raw"`
	Any    any                        `json:"any"`
	Names  wire.Optional[[]string]    `json:"names"`
}

func TestUnread(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"title":"x","kept":"y","plain":1,"TITLE":"z"}`:            "",
		`{"ttile":"x","a/b~c":1}`:                                   "/a~1b~0c /ttile",
		`{"Hidden":"x"}`:                                            "/Hidden",
		`{"list":[{"kept":"x"},{"lost":1}],"map":{"m":{"lost":1}}}`: "/list/1/lost /map/m/lost",
		`{"maybe":{"lost":1},"raw":{"x":1},"any":{"x":1}}`:          "/maybe/lost",
		`{"list":null,"maybe":null,"names":["a"]}`:                  "",
		`[1]`:      "",
		`nonsense`: "",
		``:         "",
	} {
		if got := strings.Join(wire.Unread(reflect.TypeFor[*outer](), []byte(text)), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func FuzzUnread(f *testing.F) {
	f.Add(`{"title":"x","list":[{"lost":1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, pointer := range wire.Unread(reflect.TypeFor[outer](), []byte(text)) {
			if !strings.HasPrefix(pointer, "/") {
				t.Errorf("%q is not a pointer", pointer)
			}
		}
	})
}
