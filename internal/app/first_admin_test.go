package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
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

// TestFirstAdminOnce: of servers that begin on one empty database at the same time, one adds the administrator and the
// others go on.
func TestFirstAdminOnce(t *testing.T) {
	t.Parallel()
	a := start(t, config(t), false)
	var group sync.WaitGroup
	var shown atomic.Int64
	for range 4 {
		group.Go(func() {
			_, password, err := a.FirstAdmin(t.Context())
			if err != nil {
				t.Errorf("one of several: %v", err)
			}
			if password != "" {
				shown.Add(1)
			}
		})
	}
	group.Wait()
	if shown.Load() != 1 {
		t.Errorf("%d passwords were shown, want one", shown.Load())
	}
}
