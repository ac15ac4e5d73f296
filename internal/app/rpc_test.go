package app_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthapi "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/app"
)

func dialRPC(t *testing.T, target string, with credentials.TransportCredentials) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(with))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func rpcCode(ctx context.Context, conn *grpc.ClientConn) codes.Code {
	_, err := api.NewKeyManagementServiceClient(conn).Status(ctx, &api.StatusRequest{})
	return status.Code(err)
}

func TestSocket(t *testing.T) {
	c := config(t)
	c.Listen.KMS = filepath.Join(t.TempDir(), "kms.sock")
	// A socket that a killed process left behind.
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: c.Listen.KMS, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	_ = stale.Close()

	a := start(t, c, false)
	info, err := os.Stat(c.Listen.KMS)
	if err != nil || info.Mode().Perm() != 0o600 || info.Mode()&fs.ModeSocket == 0 {
		t.Fatalf("socket: %v, %v; want a socket of mode 0600", info.Mode(), err)
	}
	conn := dialRPC(t, "unix://"+c.Listen.KMS, insecure.NewCredentials())
	if got := rpcCode(t.Context(), conn); got != codes.OK {
		t.Errorf("Status on the socket: %v, want OK", got)
	}
	checkHealth(t, conn)
	second := config(t)
	second.Listen.KMS = c.Listen.KMS
	b, err := app.New(t.Context(), app.Options{Config: second})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "another process answers") {
		t.Errorf("a second server on the socket: %v, want a refusal", err)
	}
	_ = b.Close()
	if got := rpcCode(t.Context(), conn); got != codes.OK {
		t.Errorf("after the second server: %v, want OK", got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(c.Listen.KMS); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func checkHealth(t *testing.T, conn *grpc.ClientConn) {
	t.Helper()
	health := healthapi.NewHealthClient(conn)
	for service, want := range map[string]codes.Code{
		"": codes.OK, "v2.KeyManagementService": codes.OK, "v2.Nothing": codes.NotFound,
	} {
		got, err := health.Check(t.Context(), &healthapi.HealthCheckRequest{Service: service})
		if status.Code(err) != want || (err == nil && got.Status != healthapi.HealthCheckResponse_SERVING) {
			t.Errorf("health of %q: %v, %v; want %v", service, got, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watch, err := health.Watch(ctx, &healthapi.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := watch.Recv(); err != nil || got.Status != healthapi.HealthCheckResponse_SERVING {
		t.Errorf("watch: %v, %v; want serving", got, err)
	}
	const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
	err = conn.Invoke(t.Context(), reflection, &api.StatusRequest{}, &api.StatusResponse{})
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("reflection: %v, want it off", err)
	}
}

func TestSocketPathIsTaken(t *testing.T) {
	c := config(t)
	for name, path := range map[string]string{
		"a file":       write(t, "precious"),
		"a folder":     t.TempDir(),
		"an abstract":  "@stoa",
		"no such home": filepath.Join(t.TempDir(), "none", "kms.sock"),
	} {
		c.Listen.KMS = path
		a, err := app.New(t.Context(), app.Options{Config: c})
		if errors.Is(err, app.ErrConfig) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Start(t.Context()); err == nil {
			t.Errorf("%s: the server started", name)
		}
		if err := a.Close(); err != nil {
			t.Errorf("%s: close: %v", name, err)
		}
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// signed is an authority with one client certificate.
func signed(t *testing.T) (caFile string, client tls.Certificate) {
	t.Helper()
	make := func(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if signer == nil {
			signer = key
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		if err != nil {
			t.Fatal(err)
		}
		return der, key
	}
	until := time.Now().Add(time.Hour)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, key := make(root, root, nil)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "apiserver"}, NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	own, ownKey := make(leaf, root, key)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return write(t, string(text)), tls.Certificate{Certificate: [][]byte{own}, PrivateKey: ownKey}
}

func TestRPCOnTheListeners(t *testing.T) {
	caFile, certificate := signed(t)
	c := config(t)
	c.Listen.HTTPS, c.Listen.ClientCAFile, c.KMS.TCP = "127.0.0.1:0", caFile, true
	a := start(t, c, false)
	if _, _, err := a.FirstAdmin(t.Context()); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	text, err := os.ReadFile(a.CAFile())
	if err != nil || !roots.AppendCertsFromPEM(text) {
		t.Fatal("no authority", err)
	}
	secure := strings.TrimPrefix(a.HTTPSURL(), "https://")
	plain := dialRPC(t, strings.TrimPrefix(a.URL(), "http://"), insecure.NewCredentials())
	dialTLS := func(own ...tls.Certificate) *grpc.ClientConn {
		return dialRPC(t, secure, credentials.NewTLS(&tls.Config{
			RootCAs: roots, MinVersion: tls.VersionTLS12, Certificates: own,
		}))
	}
	_, foreign := signed(t)
	bare, known, unknown := dialTLS(), dialTLS(certificate), dialTLS(foreign)
	good := issue(t, a, "kms")
	for name, row := range map[string]struct {
		conn          *grpc.ClientConn
		authorization string
		want          codes.Code
	}{
		"plain, nothing":           {plain, "", codes.Unauthenticated},
		"plain, token":             {plain, "Bearer " + good, codes.OK},
		"plain, lower case":        {plain, "bearer " + good, codes.OK},
		"plain, basic":             {plain, "Basic " + good, codes.Unauthenticated},
		"plain, another service":   {plain, "Bearer " + issue(t, a, "labels"), codes.Unauthenticated},
		"tls, nothing":             {bare, "", codes.Unauthenticated},
		"tls, token":               {bare, "Bearer " + good, codes.OK},
		"tls, certificate":         {known, "", codes.OK},
		"tls, foreign certificate": {unknown, "", codes.Unavailable},
	} {
		ctx := t.Context()
		if row.authorization != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", row.authorization)
		}
		if got := rpcCode(ctx, row.conn); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	// Health needs no credential, and a call too large is refused.
	if _, err := healthapi.NewHealthClient(plain).Check(t.Context(), &healthapi.HealthCheckRequest{}); err != nil {
		t.Errorf("health: %v", err)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+good)
	_, err = api.NewKeyManagementServiceClient(plain).Encrypt(ctx, &api.EncryptRequest{Plaintext: make([]byte, 100_000)})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("100 kB: %v, want ResourceExhausted", err)
	}
}

// issue gives the first administrator a token with every scope of a service.
func issue(t *testing.T, a *app.App, service string) string {
	t.Helper()
	values := map[string][]string{"user": {"admin"}, "service": {service}}
	result, err := a.RunCommand(t.Context(), "token issue", values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return field(t, result, "token")
}

// field is a member of a command's result, as --json prints it.
func field(t *testing.T, result any, name string) string {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	value, _ := out[name].(string)
	if value == "" {
		t.Fatalf("no %s in %s", name, text)
	}
	return value
}
