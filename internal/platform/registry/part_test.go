package registry

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// TestADiskThatFails: what is no fault of the server is not told as one, and
// not tried again.
func TestADiskThatFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("content")) }))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "file.part")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// A file opened for reading takes nothing, as a full disk does.
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	c := NewClient(ClientOptions{})
	t.Cleanup(c.Close)
	c.Trust(Address{URL: "http://" + at.Host})
	err = c.fetch(t.Context(), at, &part{d: Download{Size: 7}, file: file, sum: sha256.New()})
	var network *NetworkError
	if err == nil || errors.As(err, &network) {
		t.Errorf("%v, want the error of the disk", err)
	}
	if _, again := retry(err, 0); again {
		t.Error("it is tried again")
	}
}
