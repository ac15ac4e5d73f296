package main

import (
	"os/exec"
	"testing"
)

// TestDebianVersions are in the order that Debian has to see.
func TestDebianVersions(t *testing.T) {
	t.Parallel()
	ordered := []struct{ version, want string }{
		{"7c069f38", "0~git.7c069f38"},
		{"abc1234", "0~git.abc1234"},
		{"abc1234-dirty", "0~git.abc1234.dirty"},
		{"development", "0~git.development"},
		{"0.0.0", "0.0.0"},
		{"1.2.3-rc.1", "1.2.3~rc.1"},
		{"1.2.3", "1.2.3"},
		{"1.2.3+next", "1.2.3+next"},
		{"1.2.4", "1.2.4"},
		{"1.2.4-4-g7c069f38", "1.2.4+4.g7c069f38"},
		{"1.2.4-4-g7c069f38-dirty", "1.2.4+4.g7c069f38.dirty"},
		{"1.2.5", "1.2.5"},
	}
	dpkg, err := exec.LookPath("dpkg")
	for i, row := range ordered {
		got := debianVersion(row.version)
		if got != row.want {
			t.Errorf("%s becomes %s, want %s", row.version, got, row.want)
		}
		if err != nil || i == 0 {
			continue // not Debian
		}
		before := debianVersion(ordered[i-1].version)
		if out, err := exec.Command(dpkg, "--compare-versions", before, "lt", got).CombinedOutput(); err != nil {
			t.Errorf("%s does not come before %s: %v %s", before, got, err, out)
		}
	}
}
