package generate_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/generate"
)

// BenchmarkGenerate is one prompt through the whole handler.
func BenchmarkGenerate(b *testing.B) {
	config := generate.DefaultConfig()
	config.RequestsPerMinute, config.RequestsPerDay, config.TokensPerMinute = 1<<40, 1<<40, 1<<50
	h := identitytest.SQLite(b, build(config))
	h.User("ada")
	key := h.Key("ada", identity.KindAPI, 0)
	for b.Loop() {
		if w := h.Call("POST", script+"generateContent?key="+key, hello(""),
			"Content-Type: application/json"); w.Code != 200 {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}
