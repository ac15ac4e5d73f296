package deliver_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/outbound"
)

// TestLoopback checks that only a world of a lab calls this machine, and plain HTTP
// nowhere else.
func TestLoopback(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(receiver.Close)
	call := func(c deliver.Config, url string) (int, error) {
		t.Helper()
		client, err := deliver.NewClient(c, outbound.New(false), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		if err := client.CheckAddress(t.Context(), url); err != nil {
			return 0, err
		}
		response, err := client.Do(t.Context(), deliver.Request{Method: "POST", URL: url})
		return response.Status, err
	}
	if _, err := call(deliver.Config{}, receiver.URL); !errors.Is(err, deliver.ErrNotHTTPS) {
		t.Errorf("a serving process: got %v, want ErrNotHTTPS", err)
	}
	inLab := deliver.Config{Loopback: &deliver.Loopback{}}
	if got, err := call(inLab, receiver.URL); err != nil || got != http.StatusAccepted {
		t.Errorf("a lab: got %d, %v", got, err)
	}
	if _, err := call(inLab, "http://192.0.2.1/"); !errors.Is(err, deliver.ErrNotHTTPS) {
		t.Errorf("plain HTTP elsewhere: got %v, want ErrNotHTTPS", err)
	}
}
