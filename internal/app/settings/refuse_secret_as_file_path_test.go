package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/settings"
)

// TestSecretsInFileSettings: a secret that was put in place of the path of its file is
// refused and not repeated; the path of a file that is missing is left to its reader.
func TestSecretsInFileSettings(t *testing.T) {
	t.Parallel()
	there := filepath.Join(t.TempDir(), strings.Repeat("a", 64))
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for value, secret := range map[string]bool{
		strings.Repeat("4652ad3a", 8):                  true,
		"/ej/mzlVPBPRlTvOZgYEVWq7jIDqBMlFHjJTfFlTZzM=": true,
		"correcthorsebattery":                          true,
		"-----BEGIN PRIVATE KEY-----\nMC4/.=\n":        true,
		"eyJh." + strings.Repeat("x", 80) + ".c2ln":    true,
		"":                      false,
		there:                   false,
		"/run/secrets/root.key": false,
		"keys/root":             false,
		"root.key":              false,
		"./rootkey":             false,
		"/var/lib/stoa/backups/of/2026-11-19/root_key": false,
	} {
		var c struct {
			RootKey  string `yaml:"root_key"`
			Identity struct {
				SecretFile string `yaml:"client_secret_file"`
			} `yaml:"identity"`
			Data string `yaml:"data"`
		}
		c.RootKey, c.Identity.SecretFile, c.Data = value, value, value
		err := settings.CheckFiles(&c)
		if got := errors.Is(err, settings.ErrNotAPath); got != secret {
			t.Errorf("%q: got %v", value, err)
		}
		if !secret {
			continue
		}
		for _, want := range []string{"root_key (STOA_ROOT_KEY)", "identity.client_secret_file", "path of a file"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
		if strings.Contains(err.Error(), strings.TrimSpace(value)) {
			t.Errorf("%v repeats %q", err, value)
		}
	}
}
