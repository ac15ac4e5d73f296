package app_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
)

// TestKeyInPlaceOfItsFile: the root key itself is refused as the path of its file, before
// anything opens a file of that name, and the message does not repeat it.
func TestKeyInPlaceOfItsFile(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("4652ad3a", 8)
	_, err := app.LoadConfig("", []string{"STOA_ROOT_KEY=" + key})
	if !errors.Is(err, app.ErrConfig) || strings.Contains(err.Error(), key) ||
		!strings.Contains(err.Error(), "root_key (STOA_ROOT_KEY): the setting is the path of a file") {
		t.Errorf("got %v", err)
	}
}
