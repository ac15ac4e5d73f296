package upstream

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/generate/api"
)

// FuzzEvents: no stream of an upstream ends the process.
func FuzzEvents(f *testing.F) {
	fuzztest.Strings(f, "data: {}\n\n", "data: [DONE]\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"data:"+strings.Repeat("[", 20000))
	f.Fuzz(func(_ *testing.T, text string) {
		r := &chatReader{prompt: &api.Prompt{}, emit: func(api.Piece) error { return nil }}
		// Refusing is fine, a panic is not.
		if ReadEvents(strings.NewReader(text), r.chunk, func() bool { return true }) == nil {
			_ = r.end()
		}
		_ = readWhole(strings.NewReader(text), &chatReader{prompt: &api.Prompt{}, emit: func(api.Piece) error { return nil }})
	})
}
