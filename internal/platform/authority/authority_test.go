package authority_test

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/seal"
)

func open(t *testing.T, dir string, c clock.Clock, hosts ...string) *authority.Authority {
	t.Helper()
	box, err := seal.Open(dir, "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	a, err := authority.Open(authority.Options{Dir: dir, Box: box, Clock: c, IDs: ids.Random(), Hosts: hosts})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestServesTrustedCertificates(t *testing.T) {
	t.Parallel()
	a := open(t, t.TempDir(), clock.Real())
	listener, err := tls.Listen("tcp", "127.0.0.1:0", a.ServerConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })

	for name, serverName := range map[string]string{
		"by address": "", "localhost": "localhost", "below localhost": "lyceum.localhost",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := &tls.Config{RootCAs: a.Pool(), ServerName: serverName}
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
			t.Cleanup(client.CloseIdleConnections)
			response, err := client.Get("https://" + listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
		})
	}
}

func TestNamesAreLimited(t *testing.T) {
	t.Parallel()
	a := open(t, t.TempDir(), clock.Real(), "articles.example", "*.articles.example")
	for name, want := range map[string]bool{
		"localhost": true, "a.localhost": true, "127.0.0.1": true, "::1": true, "LOCALHOST.": true,
		"articles.example": true, "team.articles.example": true,
		"example": false, "evil.example": false, "localhost.evil.example": false, "10.0.0.1": false, "": false,
	} {
		_, err := a.Certificate(name)
		if got := err == nil; got != want {
			t.Errorf("certificate for %q: %v, want allowed %v", name, err, want)
		}
	}
}

func TestReopenKeepsTheRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir, clock.Real())
	before, err := os.ReadFile(first.File())
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(open(t, dir, clock.Real()).File())
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the root certificate changed (%v)", err)
	}
	key, err := os.ReadFile(filepath.Join(dir, "ca.key"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(key, []byte("PRIVATE KEY")) || len(key) == 0 {
		t.Error("the private key lies unwrapped in the folder")
	}
	info, err := os.Stat(filepath.Join(dir, "ca.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("ca.key mode = %v, %v, want 600", info.Mode(), err)
	}
}

func TestLeavesAreRenewed(t *testing.T) {
	t.Parallel()
	v := clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	a := open(t, t.TempDir(), v)
	certificate := func() []byte {
		t.Helper()
		c, err := a.Certificate("localhost")
		if err != nil {
			t.Fatal(err)
		}
		return c.Certificate[0]
	}
	first := certificate()
	v.Advance(24 * time.Hour)
	if !bytes.Equal(first, certificate()) {
		t.Error("a fresh certificate was replaced")
	}
	v.Advance(60 * 24 * time.Hour)
	if bytes.Equal(first, certificate()) {
		t.Error("an ageing certificate was kept")
	}
}

func TestDamagedFilesAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := open(t, dir, clock.Real())
	if err := os.WriteFile(a.File(), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	box, err := seal.Open(dir, "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	_, err = authority.Open(authority.Options{Dir: dir, Box: box, Clock: clock.Real(), IDs: ids.Random()})
	if err == nil {
		t.Fatal("a damaged certificate was accepted")
	}
}
