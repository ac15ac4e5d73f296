package plain_test

import (
	"testing"

	"stoa.dev/stoa/internal/app/cli/plain"
)

func TestValue(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"x"`: "x", `["a","b"]`: "a b", `null`: "", `12`: "12", `[]`: "",
		`{"line":3,"reason":"no key"}`: "line 3, reason no key",
		`[{"a":1},{"a":2,"b":["x"]}]`:  "a 1; a 2, b x",
	} {
		if got := plain.Value([]byte(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	const hint = "stop it with stoa stop, or choose another folder with --data; see stoa --help"
	for given, want := range map[plain.Given]string{
		{}:              hint,
		{Data: "/x"}:    "stop it with stoa --data /x stop, or choose another folder with --data; see stoa --help",
		{Data: "/a b$"}: "stop it with stoa --data '/a b$' stop, or choose another folder with --data; see stoa --help",
		{Config: "s.yaml", Database: "postgres://u:secret@h/d"}: "stop it with stoa --config s.yaml " +
			"--database postgres://... stop, or choose another folder with --data; see stoa --help",
	} {
		if got := given.Hint(hint); got != want {
			t.Errorf("%v: %q, want %q", given, got, want)
		}
	}
}

func TestHeading(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"id": "ID", "prefixUrl": "PREFIX URL", "createdAt": "CREATED AT", "durationMs": "DURATION MS", "user_id": "USER ID",
		"httpsURL": "HTTPS URL",
	} {
		if got := plain.Heading(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	const sent = "a\x1b[31mRED\a\nFAKE\u202eé"
	if got, want := plain.Line(sent), `a\x1b[31mRED\x07\x0aFAKE\u202eé`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := plain.Lines("a\n\tb\r"), "a\n\tb\\x0d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
