package transit_test

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/service/kms/provider"
	"stoa.dev/stoa/internal/service/kms/transit"
)

// TestTrueServer runs against a true Vault or OpenBao server with a transit
// engine, when STOA_TEST_TRANSIT_ADDRESS and STOA_TEST_TRANSIT_TOKEN name one.
func TestTrueServer(t *testing.T) {
	t.Parallel()
	c := transit.DefaultConfig()
	c.Address, c.Token = os.Getenv("STOA_TEST_TRANSIT_ADDRESS"), os.Getenv("STOA_TEST_TRANSIT_TOKEN")
	if c.Address == "" {
		t.Skip("STOA_TEST_TRANSIT_ADDRESS names no server")
	}
	c.Key = "stoa-test-" + ids.Random().Hex(8)
	post(t, c, "keys/"+c.Key, `{"type":"aes256-gcm96"}`)
	p := open(t, c, clock.Real())
	first, err := p.Versions(t.Context())
	if err != nil || len(first) != 1 || first[0].Name != "1" {
		t.Fatalf("Versions = %v, %v; want one", first, err)
	}
	secret, binding := bytes.Repeat([]byte{7}, 32), []byte("stoa kms data key v1\x00id")
	wrapped, err := p.Wrap(t.Context(), "1", secret, binding)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	both, err := p.Versions(t.Context())
	if err != nil || len(both) != 2 || both[0] != first[0] {
		t.Fatalf("Versions = %v, %v; want two, the first unchanged", both, err)
	}
	if pinned, err := p.Wrap(t.Context(), "1", secret, binding); err != nil ||
		!strings.HasPrefix(string(pinned), "vault:v1:") {
		t.Errorf("a pinned version: %q, %v", pinned, err)
	}
	if got, err := p.Unwrap(t.Context(), "1", wrapped, binding); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("Unwrap = %x, %v", got, err)
	}
	altered := bytes.Clone(wrapped)
	altered[20] ^= 1
	for name, row := range map[string]struct {
		version          string
		wrapped, binding []byte
		want             provider.Kind
	}{
		"another binding": {"1", wrapped, []byte("other"), provider.Refused},
		"altered":         {"1", altered, binding, provider.Refused},
		"another version": {"2", append([]byte("vault:v2:"), wrapped[9:]...), binding, provider.Refused},
	} {
		if _, err := p.Unwrap(t.Context(), row.version, row.wrapped, row.binding); provider.KindOf(err) != row.want {
			t.Errorf("%s: %v, want %s", name, err, row.want)
		}
	}
	post(t, c, "keys/"+c.Key+"/config", `{"min_decryption_version":2}`)
	if _, err := p.Unwrap(t.Context(), "1", wrapped, binding); provider.KindOf(err) != provider.Disabled {
		t.Errorf("below the oldest version: %v, want disabled", err)
	}
	if got, err := p.Versions(t.Context()); err != nil || len(got) != 1 || got[0] != both[1] {
		t.Errorf("Versions = %v, %v; want the second alone", got, err)
	}
	c.Key += "-missing"
	if _, err := open(t, c, clock.Real()).Versions(t.Context()); provider.KindOf(err) != provider.Disabled {
		t.Errorf("a missing key: %v, want disabled", err)
	}
	c.Token = "unknown"
	if _, err := open(t, c, clock.Real()).Versions(t.Context()); provider.KindOf(err) != provider.Denied {
		t.Errorf("a wrong token: %v, want denied", err)
	}
}

// post is what an administrator of the server does.
func post(t *testing.T, c transit.Config, path, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.Address+"/v1/"+c.Mount+"/"+path,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Vault-Token", c.Token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	_ = answer.Body.Close()
	if answer.StatusCode > 299 {
		t.Fatalf("POST %s: %s", path, answer.Status)
	}
}
