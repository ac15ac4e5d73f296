package apicheck_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/service/kms/apicheck"
)

// plugin is a plugin whose answers a test can spoil.
type plugin struct {
	api.UnimplementedKeyManagementServiceServer
	status  *api.StatusResponse
	encrypt func(*api.EncryptResponse)
	decrypt func(*api.DecryptResponse) error
}

func (p *plugin) Status(context.Context, *api.StatusRequest) (*api.StatusResponse, error) {
	return p.status, nil
}

func (p *plugin) Encrypt(_ context.Context, r *api.EncryptRequest) (*api.EncryptResponse, error) {
	out := &api.EncryptResponse{
		Ciphertext: flip(r.GetPlaintext()), KeyId: "k1", Annotations: map[string][]byte{"a.example.com": []byte("x")},
	}
	p.encrypt(out)
	return out, nil
}

func (p *plugin) Decrypt(_ context.Context, r *api.DecryptRequest) (*api.DecryptResponse, error) {
	out := &api.DecryptResponse{Plaintext: flip(r.GetCiphertext())}
	return out, p.decrypt(out)
}

func flip(b []byte) []byte {
	out := make([]byte, len(b))
	for i := range b {
		out[i] = b[i] ^ 0xff
	}
	return out
}

func run(t *testing.T, spoil func(*plugin, string)) *apicheck.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &plugin{
		status:  &api.StatusResponse{Version: "v2", Healthz: "ok", KeyId: "k1"},
		encrypt: func(*api.EncryptResponse) {}, decrypt: func(*api.DecryptResponse) error { return nil },
	}
	spoil(p, path)
	server := grpc.NewServer()
	api.RegisterKeyManagementServiceServer(server, p)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	now := time.Unix(0, 0)
	r, err := apicheck.Run(t.Context(), apicheck.Options{
		Socket: "unix://" + path, Timeout: 10 * time.Second, Seed: []byte(strings.Repeat("s", 32)),
		Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGoodPlugin(t *testing.T) {
	t.Parallel()
	r := run(t, func(*plugin, string) {})
	if !r.Good() || r.KeyID != "k1" || len(r.Findings) != 11 {
		t.Errorf("report: %+v", r)
	}
}

func TestComplaints(t *testing.T) {
	t.Parallel()
	for step, spoil := range map[string]func(*plugin, string){
		"socket":           func(_ *plugin, path string) { _ = os.Chmod(path, 0o666) },
		"version":          func(p *plugin, _ string) { p.status.Version = "v1" },
		"healthz":          func(p *plugin, _ string) { p.status.Healthz = "the remote is away" },
		"key_id of Status": func(p *plugin, _ string) { p.status.KeyId = "" },
		"ciphertext": func(p *plugin, _ string) {
			p.encrypt = func(r *api.EncryptResponse) { r.Ciphertext = make([]byte, 1025) }
		},
		"key_id of Encrypt": func(p *plugin, _ string) {
			p.encrypt = func(r *api.EncryptResponse) { r.KeyId = "k2" }
		},
		"annotations": func(p *plugin, _ string) {
			p.encrypt = func(r *api.EncryptResponse) { r.Annotations = map[string][]byte{"plain": nil} }
		},
		"Decrypt": func(p *plugin, _ string) {
			p.decrypt = func(*api.DecryptResponse) error { return status.Error(codes.Unavailable, "gone") }
		},
		"plaintext": func(p *plugin, _ string) {
			p.decrypt = func(r *api.DecryptResponse) error { r.Plaintext = nil; return nil }
		},
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			r := run(t, spoil)
			bad := map[string]bool{}
			for _, f := range r.Findings {
				if !f.Good {
					bad[f.Step] = true
				}
			}
			if !bad[step] {
				t.Errorf("no complaint about %s: %+v", step, r.Findings)
			}
		})
	}
}

func TestNoSocket(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"relative", filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		r, err := apicheck.Run(t.Context(), apicheck.Options{Socket: path, Timeout: time.Second})
		if err != nil || r.Good() {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
}
