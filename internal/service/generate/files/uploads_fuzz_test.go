package files

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/world"
)

// FuzzNewFile: what a client says about a file is refused, or safe to be stored
// and to be part of an address.
func FuzzNewFile(f *testing.F) {
	s := New(world.Blueprint(world.Options{}), nil, Config{MaxFileBytes: 1000}, nil)
	fuzztest.Add(f, "files/a", "A", "text/plain")
	fuzztest.Add(f, "", "", "")
	fuzztest.Add(f, "../a", "x\xff", "text")
	fuzztest.Add(f, "-a", strings.Repeat("é", 600), "a/b; c=\"d\"")
	f.Fuzz(func(t *testing.T, name, displayName, mimeType string) {
		n := NewFile{Name: name, DisplayName: displayName, MimeType: mimeType, Length: -1}
		if err := s.checkNewFile(&n); err == nil && (!fileID.MatchString(n.Name) || strings.ContainsAny(n.Name, "/.")) {
			t.Errorf("the name %q passed", n.Name)
		}
	})
}
