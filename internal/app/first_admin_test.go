package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app"
)

// TestFirstAdmin: a password of the operator's own is neither returned nor
// printed; a short one or none is a mistake of the configuration.
func TestFirstAdmin(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text  string
		bad   bool
		shown bool
	}{
		"made here": {shown: true}, "chosen": {text: "correct horse battery\n"}, "short": {text: "short\n", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t)
			if row.text != "" {
				c.AdminPasswordFile = filepath.Join(t.TempDir(), "password")
				if err := os.WriteFile(c.AdminPasswordFile, []byte(row.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			a := start(t, c, false)
			user, password, err := a.FirstAdmin(t.Context())
			if errors.Is(err, app.ErrConfig) != row.bad || (password != "") != row.shown || (user != "") != row.shown {
				t.Errorf("FirstAdmin = %q, %q, %v; want an error %t, shown %t", user, password, err, row.bad, row.shown)
			}
		})
	}
}
