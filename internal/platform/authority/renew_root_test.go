package authority_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/seal"
)

func root(t *testing.T, a *authority.Authority) *x509.Certificate {
	t.Helper()
	text, err := os.ReadFile(a.File())
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// forge signs a name with the authority's own key, as a thief of it would.
func forge(t *testing.T, dir string, parent *x509.Certificate, name string) *x509.Certificate {
	t.Helper()
	box, err := seal.Open(dir, "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := os.ReadFile(filepath.Join(dir, "ca.key"))
	if err != nil {
		t.Fatal(err)
	}
	der, err := box.Open(sealed, []byte("authority root key"))
	if err != nil {
		t.Fatal(err)
	}
	stolen, err := x509.ParseECPrivateKey(der)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), NotBefore: parent.NotBefore, NotAfter: parent.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	if der, err = x509.CreateCertificate(rand.Reader, template, parent, key.Public(), stolen); err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// verify asks Go and, where it is installed, OpenSSL.
func verify(t *testing.T, ca, leaf *x509.Certificate, name string) map[string]bool {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	_, err := leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: pool})
	accepted := map[string]bool{"go": err == nil}
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Log("openssl is not installed")
		return accepted
	}
	dir := t.TempDir()
	write := func(file string, cert *x509.Certificate) string {
		file = filepath.Join(dir, file)
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	which := "-verify_hostname"
	if net.ParseIP(name) != nil {
		which = "-verify_ip"
	}
	out, err := exec.CommandContext(t.Context(), openssl, "verify", "-x509_strict", "-purpose", "sslserver", "-no-CAfile",
		"-no-CApath",
		"-CAfile", write("ca.pem", ca), which, name, write("leaf.pem", leaf)).CombinedOutput()
	if accepted["openssl"] = err == nil; err != nil && !strings.Contains(string(out), "permitted subtree violation") {
		t.Errorf("openssl refuses %s for another reason: %s", name, out)
	}
	return accepted
}

func TestRootIsConstrained(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := open(t, dir, clock.Real(), "articles.example", "*.articles.example", "192.0.2.7", "2001:db8::7")
	ca := root(t, a)
	if !ca.PermittedDNSDomainsCritical || ca.NotAfter.Sub(ca.NotBefore) > 3*365*24*time.Hour {
		t.Errorf("critical %t, valid for %s", ca.PermittedDNSDomainsCritical, ca.NotAfter.Sub(ca.NotBefore))
	}
	for name, want := range map[string]bool{
		"localhost": true, "team.localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true,
		"articles.example": true, "team.articles.example": true, "192.0.2.7": true, "2001:db8::7": true,
		"example": false, "bank.example": false, "notarticles.example": false, "localhost.evil.example": false,
		"192.0.2.8": false, "10.0.0.1": false, "2001:db8::8": false,
	} {
		for verifier, got := range verify(t, ca, forge(t, dir, ca, name), name) {
			if got != want {
				t.Errorf("%s accepts a forged certificate for %s: %t, want %t", verifier, name, got, want)
			}
		}
		if !want {
			continue
		}
		c, err := a.Certificate(name)
		if err != nil {
			t.Fatal(err)
		}
		for verifier, got := range verify(t, ca, c.Leaf, name) {
			if !got {
				t.Errorf("%s refuses the certificate for %s", verifier, name)
			}
		}
	}
}

// TestAnotherHost: a host that the configuration gains makes a new root
// certificate of the same key; clients with the earlier one keep what they had.
func TestAnotherHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir, clock.Real(), "one.example")
	before := root(t, first)
	second := open(t, dir, clock.Real(), "one.example", "two.example")
	after := root(t, second)
	if first.Notice() != "" || !strings.Contains(second.Notice(), "two.example") ||
		!strings.Contains(second.Notice(), second.File()) {
		t.Errorf("notices = %q, %q; want to be told of two.example and the file", first.Notice(), second.Notice())
	}
	if bytes.Equal(before.Raw, after.Raw) || !bytes.Equal(before.RawSubject, after.RawSubject) ||
		!bytes.Equal(before.RawSubjectPublicKeyInfo, after.RawSubjectPublicKeyInfo) {
		t.Error("want another certificate of the same name and key")
	}
	for _, row := range []struct {
		root *x509.Certificate
		name string
		want bool
	}{{before, "one.example", true}, {before, "two.example", false}, {after, "one.example", true},
		{after, "two.example", true}} {
		c, err := second.Certificate(row.name)
		if err != nil {
			t.Fatal(err)
		}
		for verifier, got := range verify(t, row.root, c.Leaf, row.name) {
			if got != row.want {
				t.Errorf("%s accepts %s under the root of %v: %t, want %t", verifier, row.name, row.root.PermittedDNSDomains, got,
					row.want)
			}
		}
	}
	third := open(t, dir, clock.Real(), "one.example")
	if third.Notice() != "" || !bytes.Equal(root(t, third).Raw, after.Raw) {
		t.Errorf("a host that is gone made a new root: %q", third.Notice())
	}
}

func TestNoConstraintPermitsEverything(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"", "*", "*.", "*.*", ".", "a.*.example"} {
		dir := t.TempDir()
		box, err := seal.Open(dir, "", ids.Random())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := authority.Open(authority.Options{Dir: dir, Box: box, Clock: clock.Real(), IDs: ids.Random(),
			Hosts: []string{host}}); err == nil {
			t.Errorf("host %q was accepted", host)
		}
	}
}

// TestRootIsRenewed: half a year before its end the root is made anew, also by a
// server that is not started again, and leaves never outlive it.
func TestRootIsRenewed(t *testing.T) {
	t.Parallel()
	v := clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	dir := t.TempDir()
	a := open(t, dir, v)
	before := root(t, a)
	for range 60 {
		v.Advance(30 * 24 * time.Hour)
		c, err := a.Certificate("localhost")
		if err != nil {
			t.Fatal(err)
		}
		pool := a.Pool()
		if _, err := c.Leaf.Verify(x509.VerifyOptions{DNSName: "localhost", Roots: pool, CurrentTime: v.Now()}); err != nil {
			t.Fatalf("at %s: %v", v.Now(), err)
		}
		if now := root(t, a); c.Leaf.NotAfter.After(now.NotAfter) {
			t.Fatalf("a leaf ends %s, its root %s", c.Leaf.NotAfter, now.NotAfter)
		}
	}
	after := root(t, a)
	if bytes.Equal(before.Raw, after.Raw) || !bytes.Equal(before.RawSubjectPublicKeyInfo, after.RawSubjectPublicKeyInfo) {
		t.Error("after five years: want another certificate of the same key")
	}
	v.Advance(10 * 365 * 24 * time.Hour)
	late := open(t, dir, v)
	if !strings.Contains(late.Notice(), "new one") || bytes.Equal(root(t, late).RawSubjectPublicKeyInfo,
		after.RawSubjectPublicKeyInfo) {
		t.Errorf("after its end: notice %q, want a new authority", late.Notice())
	}
}
