package program_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stoa.dev/stoa/test/program"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, line string
		want       []string
		fails      bool
	}{
		{name: "plain", line: "curl -s http://x", want: []string{"curl", "-s", "http://x"}},
		{name: "single quotes", line: `-H 'Authorization: Bearer a"b'`, want: []string{"-H", `Authorization: Bearer a"b`}},
		{name: "double quotes", line: `-d "{\"a\":1}"`, want: []string{"-d", `{"a":1}`}},
		{name: "empty word", line: `''`, want: []string{""}},
		{name: "joined parts", line: `a'b'"c"`, want: []string{"abc"}},
		{name: "unfinished", line: `'a`, fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := program.Words(tc.line)
			if (err != nil) != tc.fails || !slices.Equal(got, tc.want) {
				t.Errorf("Words(%q) = %q, %v; want %q, failure %v", tc.line, got, err, tc.want, tc.fails)
			}
		})
	}
}

func TestDemoEnv(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "# for tests\nSTOA_URL=http://127.0.0.1:1\nexport STOA_USER='a b'\nSTOA_EMPTY=\n"
	if err := os.WriteFile(filepath.Join(dir, "demo.env"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := program.DemoEnv(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"STOA_URL": "http://127.0.0.1:1", "STOA_USER": "a b", "STOA_EMPTY": ""} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}
