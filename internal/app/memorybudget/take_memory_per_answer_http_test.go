package memorybudget_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/app/memorybudget"
	"stoa.dev/stoa/internal/platform/budget"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	memory := budget.New(budget.Options{Name: "memory", Total: 100, PerOwner: 50})
	var held int64
	handler := memorybudget.Handler(memory, 40, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		held = memory.Used()
	}))
	ask := func(from string) int {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.RemoteAddr = from + ":1"
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if closes := w.Header().Get("Connection") == "close"; closes != (w.Code != http.StatusOK) {
			t.Errorf("%d, connection closes: %v", w.Code, closes)
		}
		return w.Code
	}
	if status := ask("192.0.2.1"); status != http.StatusOK || held != 40 || memory.Used() != 0 {
		t.Errorf("%d, %d bytes were held and %d are", status, held, memory.Used())
	}
	grant, err := memory.Take(t.Context(), budget.Address("192.0.2.1"), 50)
	if err != nil {
		t.Fatal(err)
	}
	defer grant.Release()
	if status := ask("192.0.2.1"); status != http.StatusServiceUnavailable {
		t.Errorf("a network that has its share: %d, want 503", status)
	}
	if status := ask("192.0.2.2"); status != http.StatusOK {
		t.Errorf("another one: %d", status)
	}
}
