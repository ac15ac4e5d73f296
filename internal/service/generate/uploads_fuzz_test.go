package generate

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzMetadata: what is said about a file is read or refused.
func FuzzMetadata(f *testing.F) {
	fuzztest.Strings(f, "", "{}", `{"file":{"display_name":"a","sizeBytes":"3"}}`, `{"file":[]}`, strings.Repeat("[", 5000), `{"file":{"name":"`+strings.Repeat("a", 5000)+`"}}`)
	f.Fuzz(func(_ *testing.T, text string) {
		var meta fileMetadata
		_ = (&Service{}).readMetadata(strings.NewReader(text), &meta) // refusing is fine, a panic is not
	})
}
