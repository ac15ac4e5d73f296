package secretmembers_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/journal/secretmembers"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"title":"water","token":"abc"}`:          `{"title":"water","token":"***"}`,
		`{"access_token" : "a\"b", "n": 1}`:        `{"access_token" : "***", "n": 1}`,
		`{"token":["a","b"],"title":"c"}`:          `{"token":["***","***"],"title":"c"}`,
		`{"token":{"kind":"bearer"}}`:              `{"token":{"kind":"bearer"}}`,
		`{"code":"not_found"}`:                     `{"code":"not_found"}`,
		`{"code":"4/0AX4XfWh1234567890"}`:          `{"code":"***"}`,
		`{:token "abc" :title "water"}`:            `{:token "***" :title "water"}`,
		`{"valid" :true, "token" :null, "a": "b"}`: `{"valid" :true, "token" :null, "a": "b"}`,
		`{"token":"cut in the mid`:                 `{"token":"***`,
		"data: {\"password\":\"x\"}\n\ndata: {}\n": "data: {\"password\":\"***\"}\n\ndata: {}\n",
		`no members`: `no members`,
	} {
		if got := secretmembers.Mask(text, "***"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestUnder(t *testing.T) {
	t.Parallel()
	const text, want = `{"name":"A","value":"b"} {:value "c"}`, `{"name":"A","value":"***"} {:value "***"}`
	if got := secretmembers.Mask(text, "***", secretmembers.Under("/project/x/envvar/A")...); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := secretmembers.Mask(text, "***", secretmembers.Under("/project/x")...); got != text {
		t.Errorf("%s, want it as it is", got)
	}
}
