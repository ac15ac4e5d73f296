package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaultFileMistakes: a mistake in a file of rules is named with its line, in the words of
// seed files, and what a rule may hold is taken.
func TestFaultFileMistakes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f.yaml")
	for text, want := range map[string]string{
		"faults:\n- when:\n    frist: 1\n":   `f.yaml:3:5: faults[0].when: "frist" is not known; did you mean first?`,
		"faults:\n- when:\n    first: one\n": "f.yaml:3:12: faults[0].when.first: a whole number is expected",
		"faults:\n- deed: {delay: soon}\n":   "f.yaml:2:17: faults[0].deed.delay: a member must be a duration",
		"faults:\n- deed: {delay: 3}\n":      "f.yaml:2:17: faults[0].deed.delay: a text is expected",
		"faults:\n- match: {service: tasks, header: {a: b}, body: {/title: [1, {a: null}], /b: 1.5}}\n" +
			"  when: {share: 0.5, from: 2026-03-01T09:00:00Z}\n  deed: {status: 503, headers: {a: b}, body: {error: x}}\n" +
			"- deed: {delay: 1h30m, clock: world}\n- deed: {cut: {afterBytes: 3}}\n": "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readFaults(file)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
