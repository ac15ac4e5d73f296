package articles_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
)

// benchBody is an article of common length.
const benchBody = `{"title":"Steps","body":"# Sweeping the steps\n\nA *stoa* is a public colonnade` +
	`: a row of equal columns.\n\n- Sweep\n- Mind the **third** step\n\n` +
	"```go:main.go\\npackage main\\n\\nfunc main() {\\n\\tprintln(1)\\n}\\n```" +
	`\n","tags":[{"name":"Go"},{"name":"Stairs"}]}`

func BenchmarkCreateItem(b *testing.B) {
	h := identitytest.Open(b, build, "")
	token := "Authorization: Bearer " + h.Token("ada")
	b.SetParallelism(16)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if w := h.Call("POST", "https://localhost/api/v2/items", benchBody, token); w.Code != 201 {
				b.Errorf("%d %s", w.Code, w.Body)
				return
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	h := identitytest.Open(b, build, "")
	token := "Authorization: Bearer " + h.Token("ada")
	for n := range 2000 {
		body := strings.Replace(benchBody, "# Sweeping", fmt.Sprintf("# word%d common%d", n, n%3), 1)
		if w := h.Call("POST", "https://localhost/api/v2/items", body, token); w.Code != 201 {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	for _, query := range []string{"word77", "common1", "common1 tag:go", "sweep", "created:>2000"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if w := h.Call("GET", "https://localhost/api/v2/items?query="+url.QueryEscape(query), "",
					token); w.Code != 200 {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}
