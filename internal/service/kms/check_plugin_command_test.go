package kms_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
)

// TestCheckCommand: the service itself has nothing that an API server refuses.
func TestCheckCommand(t *testing.T) {
	t.Parallel()
	run(t, nil, checkCommand)
}

func checkCommand(t *testing.T, h *testServer) {
	s := h.service
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	s.Module().RegisterRPC(server)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	got, err := h.command(t, s, "kms check", map[string][]string{"socket": {path}, "timeout": {"30s"}})
	if err != nil || got["endpoint"] != "unix://"+path || fmt.Sprint(got["key_id"]) == "" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, wrong := range []string{"relative.sock", filepath.Join(t.TempDir(), "none")} {
		if _, err := h.command(t, s, "kms check", map[string][]string{"socket": {wrong}, "timeout": {"1s"}}); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
