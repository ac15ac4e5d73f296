package apps_test

import (
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/service/events/apps"
)

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Hall Keeper": "hall-keeper", " a--B_2 ": "a-b-2", "é": "", "": ""} {
		if got := apps.SlugOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestPermissionsToWire(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(apps.PermissionsToWire([]string{"contents:write", "contents:read", "metadata:read"}))
	if want := "map[contents:write metadata:read]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestIsToken(t *testing.T) {
	t.Parallel()
	if !apps.IsToken("a.b.c") || apps.IsToken("ghs_abc") || apps.IsToken("a.b") {
		t.Error("a JSON Web Token is taken for another credential")
	}
}
