package seedfile_test

import (
	"maps"
	"testing"

	"stoa.dev/stoa/internal/forge/seedfile"
	"stoa.dev/stoa/internal/platform/seed"
)

func TestContent(t *testing.T) {
	t.Parallel()
	want := map[string]string{"README.md": "text\n", "logo.png": "\x89PNG\xff"}
	var s seedfile.Repository
	for name, data := range want {
		s.Put(name, []byte(data))
	}
	if len(s.Files) != 1 || len(s.Base64) != 1 {
		t.Errorf("texts %v, others %v", s.Files, s.Base64)
	}
	got, err := s.Content(&seed.Run{})
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, bad := range []seedfile.Repository{{Folder: "x"}, {Base64: map[string]string{"a": "%"}}} {
		if _, err := bad.Content(&seed.Run{}); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
