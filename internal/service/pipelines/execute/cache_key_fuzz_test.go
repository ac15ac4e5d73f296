package execute

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A key is one line of bounded length, or refused with a reason.
func FuzzKey(f *testing.F) {
	fuzztest.Strings(f,
		"v1-{{ .Branch }}-{{ .Environment.NAME }}", "{{ .Revision}}{{.BuildNum }}", "{{", "}}{{ }}", "{{ checksum }}",
		`{{ checksum "" }}`, `{{ checksum "a }}`,
		"{{ .Environment. }}", "{{ {{ .Branch }} }}", strings.Repeat("{{ .Branch }}", 300), "a\nb", "{{ arch }}\x00",
	)
	n := &node{task: Task{Branch: "main", Revision: "abc", Environment: map[string]string{"NAME": "{{ .Branch }}"}}}
	f.Fuzz(func(t *testing.T, template string) {
		if strings.Contains(template, "checksum \"") || strings.Contains(template, "checksum `") ||
			strings.Contains(template, "checksum '") || strings.Contains(template, "epoch") {
			return // these need a job that runs
		}
		got, bad := n.key(nil, template)
		switch {
		case bad == nil && (got == "" || len(got) > maxKey || strings.ContainsAny(got, "\x00\n")):
			t.Errorf("%q: got %q", template, got)
		case bad != nil && (bad.reason == "" || len(bad.reason) > 300+4*len(template)):
			t.Errorf("%q: got %d bytes of reason", template, len(bad.reason))
		}
	})
}

// Any text is one word of the shell, and a pattern leaves its quotes nowhere.
func FuzzQuote(f *testing.F) {
	fuzztest.Strings(f, "a", "a'b", "$(x)", "`x`", "a\nb", "*?[a-z]", "\\", "~/x", "../x", "/a//b/", "é", "\x00",
		"'; x; '")
	f.Fuzz(func(t *testing.T, text string) {
		if got := words(quote(text)); len(got) != 1 || got[0] != strings.ReplaceAll(text, "\x00", "") {
			t.Errorf("%q is read as %q", text, got)
		}
		if got := words(pattern(text)); len(got) > 1 {
			t.Errorf("the pattern %q is read as %q", text, got)
		}
		p := place("/home", "/work", text)
		if rest, ok := inside("/work", p); ok && strings.HasPrefix(rest, "/") {
			t.Errorf("%q lies at %q, %q inside", text, p, rest)
		}
	})
}

// words reads a line as a POSIX shell splits it, as far as quotes go.
func words(line string) (out []string) {
	var word []byte
	open, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\'':
			quoted = false
		case quoted:
			word = append(word, c)
		case c == '\'':
			quoted, open = true, true
		case c == '\\' && i+1 < len(line):
			i++
			word, open = append(word, line[i]), true
		case c == ' ' || c == '\t' || c == '\n' || strings.IndexByte(";&|<>()$`\"#", c) >= 0:
			if open {
				out = append(out, string(word))
			}
			word, open = nil, false
			if strings.IndexByte(" \t\n", c) < 0 {
				out = append(out, string(c), "")
			}
		default:
			word, open = append(word, c), true
		}
	}
	if open || quoted {
		out = append(out, string(word))
	}
	return out
}

// What a tag or a text takes is bounded, and nothing is added.
func FuzzSlim(f *testing.F) {
	fuzztest.Strings(f,
		`<a b="c">d</a>`, `<!-- - -- --><![CDATA[]]]]><![CDATA[>]]>`, `<?x it's ?>`, `<a b='"' c=">"/>`, "&amp;&#10;&",
		"<", "<!", "<![CDATA[", strings.Repeat("x", maxText+9), `<a `+strings.Repeat(`b="" `, 90)+`>`,
	)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := io.ReadAll(newSlimReader(strings.NewReader(text)))
		if len(got) > len(text)+64 {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
		if err == nil && len(text) < maxText && string(got) != text && wellFormed(text) != wellFormed(string(got)) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func wellFormed(text string) bool {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// The bytes before the marker come through whole, however they are cut, and
// without the marker or with a failed program reading fails.
func FuzzPart(f *testing.F) {
	const marker = "\n#mark#\n"
	fuzztest.Add(f, []byte("archive000"+marker+"rest"), uint8(1))
	fuzztest.Add(f, []byte("archive002"+marker), uint8(3))
	fuzztest.Add(f, []byte("00"+marker), uint8(2))
	fuzztest.Add(f, []byte("\n#mark\n#mark#"), uint8(1))
	fuzztest.Add(f, []byte{}, uint8(9))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		got, err := io.ReadAll(newPart(&fewAtOnce{stream, int(size%16) + 1}, []byte(marker)))
		program, _, found := bytes.Cut(stream, []byte(marker))
		ok := found && len(program) >= statusSize && (bytes.HasSuffix(program, []byte("000")) ||
			bytes.HasSuffix(program, []byte("001")))
		if ok != (err == nil) {
			t.Fatalf("%q: got %v", stream, err)
		}
		if ok && string(got) != string(program[:len(program)-statusSize]) {
			t.Errorf("%q: got %q", stream, got)
		}
		if !bytes.HasPrefix(stream, got) {
			t.Errorf("%q: got %q, which is not its beginning", stream, got)
		}
	})
}

// fewAtOnce gives a few bytes at a time.
type fewAtOnce struct {
	left []byte
	size int
}

func (c *fewAtOnce) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.left)
	c.left = c.left[n:]
	return n, nil
}

// A secret is never passed on whole, however the output is cut.
func FuzzMask(f *testing.F) {
	fuzztest.Add(f, "secret-1", []byte("a secret-1 b secret-"), uint8(3))
	fuzztest.Add(f, "aaaab", []byte("aaaaaaab"), uint8(1))
	fuzztest.Add(f, "line one is long\nline two is long", []byte("line two is long"), uint8(5))
	fuzztest.Add(f, " abcd ", []byte("abcdabcabcd"), uint8(2))
	f.Fuzz(func(t *testing.T, secret string, output []byte, size uint8) {
		m := newMask([]string{secret})
		var got []byte
		emit := func(p []byte) error { got = append(got, p...); return nil }
		step := int(size%16) + 1
		var held []byte
		for at := 0; at < len(output) || len(held) > 0; at += step {
			end := at+step >= len(output)
			if at < len(output) {
				held = append(held, output[at:min(at+step, len(output))]...)
			}
			n, err := m.scan(held, end, emit)
			if err != nil || n > len(held) {
				t.Fatalf("scan = %d of %d, %v", n, len(held), err)
			}
			if held = held[n:]; end {
				break
			}
		}
		if len(secret) >= minSecret && secret != "true" && secret != "false" && !strings.Contains("****", secret) &&
			!strings.Contains(secret, "*") && bytes.Contains(got, []byte(secret)) {
			t.Errorf("%q in %q is shown: %q", secret, output, got)
		}
		if whole := m.hide(string(output)); string(got) != whole {
			t.Errorf("%q: in pieces %q, whole %q", output, got, whole)
		}
	})
}
