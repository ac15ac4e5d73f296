package cli_test

import (
	"strings"
	"testing"
)

func TestPasswordFromStandardInput(t *testing.T) {
	t.Parallel()
	data := "--data=" + t.TempDir()
	made := object(t, run(t, "correct horse battery\n", "user", "add", "ada", "--password-stdin", "--json", data))
	if made["name"] != "ada" || made["password"] != nil {
		t.Errorf("user add --password-stdin = %v, want ada and no password printed", made)
	}
	changed := object(t,
		run(t, "another horse battery\r\n", "user", "password", "ada", "--password-stdin", "--json", data))
	if changed["password"] != nil {
		t.Errorf("user password --password-stdin = %v, want no password printed", changed)
	}
	for name, row := range map[string]struct {
		stdin string
		args  []string
	}{
		"nothing":   {"", []string{"--password-stdin"}},
		"both":      {"correct horse battery", []string{"--password-stdin", "--password", "correct horse battery"}},
		"too short": {"horse\n", []string{"--password-stdin"}},
		"two lines": {"correct horse\nbattery\n", []string{"--password-stdin"}},
		"too long":  {strings.Repeat("x", 100_000), []string{"--password-stdin"}},
	} {
		got := run(t, row.stdin, append([]string{"user", "add", "bob", data}, row.args...)...)
		if got.code != 2 || strings.Contains(got.stderr, "horse") {
			t.Errorf("%s: exit %d, %q; want 2 and no word of the password", name, got.code, got.stderr)
		}
	}
}
