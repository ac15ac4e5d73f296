package execute

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// through masks a text that arrives in pieces, as a stream does.
func through(m *mask, pieces []string) string {
	var out bytes.Buffer
	emit := func(p []byte) error { _, err := out.Write(p); return err }
	var held []byte
	for _, p := range pieces {
		data := append(bytes.Clone(held), p...)
		n, _ := m.scan(data, false, emit)
		held = data[n:]
	}
	_, _ = m.scan(held, true, emit)
	return out.String()
}

func TestMask(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		secrets []string
		pieces  []string
		want    string
	}{
		{"nothing to hide", nil, []string{"a", "b"}, "ab"},
		{"whole", []string{"secret"}, []string{"a secret here"}, "a **** here"},
		{"cut in two", []string{"secret"}, []string{"a sec", "ret here"}, "a **** here"},
		{"byte by byte", []string{"secret"}, strings.Split("a secret here", ""), "a **** here"},
		{"beginning only", []string{"secret"}, []string{"a sec", "tion"}, "a section"},
		{"beginning at the end", []string{"secret"}, []string{"a secre"}, "a secre"},
		{"longest wins", []string{"pass", "password"}, []string{"passwo", "rd pass passwor"}, "**** **** ****wor"},
		{"overlapping starts", []string{"aaab"}, []string{"aa", "aa", "ab"}, "aa****"},
		{"too short", []string{"abc", "1", ""}, []string{"abc 1"}, "abc 1"},
		{"true is not a secret", []string{"true"}, []string{"true"}, "true"},
		{"lines of a key", []string{"-----BEGIN\nabcdefgh12\n-----END\n"}, []string{"x abcdefgh12 y"}, "x **** y"},
		{"binary", []string{"\x00\xff\x00\xff"}, []string{"a\x00\xff", "\x00\xffb"}, "a****b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := through(newMask(tc.secrets), tc.pieces); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestMaskModel compares any cutting of any text with the text masked whole.
func TestMaskModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SliceOfN(rapid.SampledFrom([]byte("ab")), 4, 7)
		var secrets []string
		for range rapid.IntRange(1, 4).Draw(t, "secrets") {
			secrets = append(secrets, string(letters.Draw(t, "secret")))
		}
		text := string(rapid.SliceOfN(rapid.SampledFrom([]byte("abc")), 0, 60).Draw(t, "text"))
		m := newMask(secrets)
		want := through(m, []string{text})
		var pieces []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		got := through(m, pieces)
		if got != want {
			t.Fatalf("in pieces %q: %q, whole: %q", pieces, got, want)
		}
		for _, s := range secrets {
			if strings.Contains(got, s) {
				t.Fatalf("%q shows %q", got, s)
			}
		}
	})
}

// slow yields the text in pieces of the given size.
type slow struct {
	text string
	size int
}

func (s *slow) Read(p []byte) (int, error) {
	if s.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.size)], s.text)
	s.text = s.text[n:]
	return n, nil
}

func TestPart(t *testing.T) {
	t.Parallel()
	marker := []byte("\x00\x01mark\x01\x00")
	for size := 1; size < 20; size++ {
		for _, tc := range []struct {
			text, want string
			err        error
		}{
			{"body\x00\x01mar000" + string(marker), "body\x00\x01mar", nil},
			{"000" + string(marker), "", nil},
			{"changed001" + string(marker), "changed", nil},
			{"bad002" + string(marker), "bad", errTool},
			{"cut off", "", io.ErrUnexpectedEOF},
			{"0" + string(marker), "", errTool},
		} {
			got, err := io.ReadAll(newPart(&slow{tc.text, size}, marker))
			if err != tc.err || (tc.err == nil && string(got) != tc.want) {
				t.Errorf("%q in pieces of %d: %q, %v; want %q, %v", tc.text, size, got, err, tc.want, tc.err)
			}
		}
	}
}

func TestShellWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "''", "a b": "'a b'", "it's": `'it'\''s'`, "a\x00b": "'ab'",
		"$(x)": "'$(x)'"} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{"bin/*": "bin/*", "a b;$(x)": `a\ b\;\$\(x\)`, "[ab]?": "[ab]?", "é": `\é`,
		"a\nb": "a'\n'b"} {
		if got := pattern(in); got != want {
			t.Errorf("pattern(%q) = %s, want %s", in, got, want)
		}
	}
	for _, tc := range [][2]string{{"~", "/h"}, {"~/a/../b", "/h/b"}, {"/x/", "/x"}, {"sub", "/w/sub"}, {".", "/w"},
		{"../up", "/up"}} {
		if got := place("/h", "/w", tc[0]); got != tc[1] {
			t.Errorf("place(%q) = %q, want %q", tc[0], got, tc[1])
		}
	}
}

// FuzzJUnit finds no report that panics or yields more than it may.
func FuzzJUnit(f *testing.F) {
	fuzztest.Strings(f,
		`<testsuite name="s"><testcase name="a" time="1"><failure message="m">t</failure></testcase></testsuite>`,
		`<!DOCTYPE x [<!ENTITY a "b">]><testcase name="&a;"/>`,
		`<testcase `+strings.Repeat(`a="" `, 50)+`/>`,
		`<?x it's ?><testcase name="a>b"><system-out><![CDATA[]]]]><![CDATA[>]]></system-out><!-- - -- --><failure/></testcase>`,
	)
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := readJUnit(strings.NewReader(text), "x.xml", &budget{cases: 3, bytes: 1 << 10})
		if len(cases) > 3 {
			t.Fatalf("%d cases, %v", len(cases), err)
		}
	})
}

// BenchmarkMask is the masking alone.
func BenchmarkMask(b *testing.B) {
	m := newMask([]string{"a secret", "tokentoken", "not really", "0123456789abcdef"})
	p := bytes.Repeat([]byte("this is a line of a log, not very long, not very short\n"), 1200)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = m.scan(p, false, func([]byte) error { return nil })
	}
}
