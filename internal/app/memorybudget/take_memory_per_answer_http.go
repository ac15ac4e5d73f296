package memorybudget

import (
	"io"
	"net/http"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// Handler has each answer of next take so much of the memory until it is sent: who asks needs no
// credential, and may read the answer slowly or not at all.
func Handler(memory *budget.Pool, bytes int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		grant, err := memory.Take(r.Context(), budget.Address(clientaddr.Network(r)), bytes)
		if err != nil {
			w.Header().Set("Retry-After", "1")
			w.Header().Set("Connection", "close") // one that is kept costs memory too
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			const text = `{"error":"busy","message":"as many ask for this as memory allows; ask again"}`
			_, _ = io.WriteString(w, text+"\n") // a client that has gone is not told
			return
		}
		defer grant.Release()
		next.ServeHTTP(w, r)
	})
}
