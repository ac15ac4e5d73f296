package rpc

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/platform/clock"
)

func rpcCall(from, token string) *http.Request {
	q := httptest.NewRequest("POST", "/v2.KeyManagementService/Status", nil)
	q.RemoteAddr = from
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	return q
}

func admitted() error { return nil }
func unknown() error  { return status.Error(codes.Unauthenticated, "the token is not valid here") }

// A network has a number of calls at once, whatever connections they come on.
func TestRPCCallsPerNetwork(t *testing.T) {
	t.Parallel()
	g := newGate(clock.NewVirtual(time.Unix(0, 0)))
	var releases []func()
	enter := func(from, token string) codes.Code {
		release, err := g.enter(rpcCall(from, token), admitted)
		if err == nil {
			releases = append(releases, release)
		}
		return status.Code(err)
	}
	for range maxNetworkCalls {
		if got := enter("[2001:db8::1]:1", "good"); got != codes.OK {
			t.Fatalf("call %d: %v, want OK", len(releases)+1, got)
		}
	}
	if got := enter("[2001:db8::ffff]:2", "good"); got != codes.ResourceExhausted {
		t.Errorf("one more of the network: %v, want ResourceExhausted", got)
	}
	if got := enter("192.0.2.1:1", "good"); got != codes.OK {
		t.Errorf("another network: %v, want OK", got)
	}
	releases[0]()
	if got := enter("[2001:db8::1]:1", "good"); got != codes.OK {
		t.Errorf("after one has ended: %v, want OK", got)
	}
	// Those without a credential have a part of all places only.
	held := 0
	for n := range 4 * maxNetworkCalls {
		if enter("198.51.100."+string(rune('1'+n/maxNetworkCalls))+":1", "") == codes.OK {
			held++
		}
	}
	if held != maxAnonymousCalls {
		t.Errorf("%d calls without a credential at once, want %d", held, maxAnonymousCalls)
	}
	for _, release := range releases {
		release()
	}
	if got := g.calls.Used(); got != 0 {
		t.Errorf("%d places are held after all, want none", got)
	}
}

// Tokens of a network that sends wrong ones are not looked at for a while.
func TestRPCRefusedPerNetwork(t *testing.T) {
	t.Parallel()
	v := clock.NewVirtual(time.Unix(0, 0))
	g := newGate(v)
	looked := 0
	try := func(q *http.Request, admit func() error) codes.Code {
		release, err := g.enter(q, func() error { looked++; return admit() })
		if err == nil {
			release()
		}
		return status.Code(err)
	}
	for range maxRefused + 50 {
		try(rpcCall("192.0.2.1:1", "guess"), unknown)
	}
	if looked != maxRefused {
		t.Errorf("%d wrong tokens were looked at, want %d", looked, maxRefused)
	}
	certificate := rpcCall("192.0.2.1:1", "")
	certificate.TLS = &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{}}}
	for name, row := range map[string]struct {
		q    *http.Request
		want codes.Code
	}{
		"another token of the network": {rpcCall("192.0.2.1:2", "good"), codes.ResourceExhausted},
		"a certificate":                {certificate, codes.OK},
		"health":                       {rpcCall("192.0.2.1:3", ""), codes.OK},
		"another network":              {rpcCall("192.0.2.2:1", "good"), codes.OK},
	} {
		if got := try(row.q, admitted); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	v.Advance(time.Minute)
	if got := try(rpcCall("192.0.2.1:1", "good"), admitted); got != codes.OK {
		t.Errorf("a minute later: %v, want OK", got)
	}
	// Calls without a token cost nothing and count nothing.
	for range maxRefused + 1 {
		try(rpcCall("192.0.2.1:1", ""), unknown)
	}
	if got := try(rpcCall("192.0.2.1:1", "good"), admitted); got != codes.OK {
		t.Errorf("after calls without a token: %v, want OK", got)
	}
}
