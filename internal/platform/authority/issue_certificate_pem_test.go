package authority_test

import (
	"crypto/tls"
	"crypto/x509"
	"testing"

	"stoa.dev/stoa/internal/platform/clock"
)

// TestIssue checks that a certificate for a developer's own server is trusted by who
// trusts the authority, and that there is none for names it may not sign for, also
// when it is opened without the hosts it was made with.
func TestIssue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir, clock.Real(), "receiver.test")
	a := open(t, dir, clock.Real())
	for _, name := range []string{"localhost", "127.0.0.1", "a.localhost", "receiver.test"} {
		chain, key, err := a.Issue(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pair, err := tls.X509KeyPair(chain, key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: a.Pool(), DNSName: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"example.org", "192.0.2.1", "", "*"} {
		if _, _, err := a.Issue(name); err == nil {
			t.Errorf("a certificate for %q", name)
		}
	}
}
