package servicename_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli/servicename"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, name := range servicename.All() {
		if m, err := servicename.Find(name); err != nil || m.Name != name {
			t.Errorf("%s: got %s, %v", name, m.Name, err)
		}
	}
	if _, err := servicename.Find("task"); err == nil || !strings.Contains(err.Error(), "did you mean tasks? there are ") {
		t.Errorf("task: got %v, want the nearest and all", err)
	}
}
