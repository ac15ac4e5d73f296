package labclient_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/module"
)

// TestFolder: the file that a lab leaves in its folder leads to it.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := labclient.FromFolder(dir); kindOf(t, err) != module.NotFound {
		t.Errorf("an empty folder: %v", err)
	}
	other := t.TempDir()
	if err := os.Mkdir(filepath.Join(other, server.EnvFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := labclient.FromFolder(other); kindOf(t, err) != module.Failed {
		t.Errorf("a file that cannot be read: %v, want its cause", err)
	}
	text := "export STOA_LAB_URL='http://127.0.0.1:1'\nSTOA_LAB_TOKEN='t'\n" // older labs export nothing
	if err := os.WriteFile(filepath.Join(dir, server.EnvFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := labclient.FromFolder(dir)
	if err != nil || c.URL != "http://127.0.0.1:1" || c.Token != "t" {
		t.Errorf("got %+v, %v", c, err)
	}
}

// TestCall: an answer is handed on, a refusal has the exit code of its kind, and so has
// a lab that is gone.
func TestCall(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer t":
			http.Error(w, "no token", http.StatusUnauthorized)
		case strings.HasSuffix(r.URL.Path, "/worlds"):
			_, _ = w.Write([]byte(`[]`)) // the client sees what is missing
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error":{"code":"not_found","message":"there is no world x"}}`)) // as above
		}
	}))
	c := &labclient.Client{URL: s.URL, Token: "t"}
	if answer, err := c.Call(t.Context(), http.MethodGet, "/worlds", nil); err != nil || string(answer) != `[]` {
		t.Errorf("got %s, %v", answer, err)
	}
	if _, err := c.Call(t.Context(), http.MethodPost, "/worlds/x", struct{}{}); kindOf(t, err) != module.NotFound {
		t.Errorf("a refusal: %v", err)
	}
	s.Close()
	if _, err := c.Call(t.Context(), http.MethodGet, "/worlds", nil); kindOf(t, err) != module.Failed {
		t.Errorf("a lab that is gone: %v", err)
	}
}

func kindOf(t *testing.T, err error) module.Failure {
	t.Helper()
	var refused *module.CommandError
	if !errors.As(err, &refused) {
		t.Fatalf("%v is not an error of a command", err)
	}
	return refused.Failure
}
