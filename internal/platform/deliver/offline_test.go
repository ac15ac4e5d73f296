package deliver_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/outbound"
)

// Offline, a receiver on loopback that the operator allowed is called; any other
// is refused for good, before its name is looked up.
func TestOffline(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	asked := always("93.184.216.34")
	client, err := deliver.NewClient(deliver.Config{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")},
	}, outbound.New(true), asked.resolver())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for address, offline := range map[string]bool{
		server.URL: false, "https://receiver.example/x": true, "https://93.184.216.34/": true, "https://10.1.2.3/": true,
	} {
		for name, err := range map[string]error{
			"Do": func() error {
				_, err := client.Do(t.Context(), deliver.Request{Method: "POST", URL: address})
				return err
			}(),
			"CheckAddress": client.CheckAddress(t.Context(), address),
		} {
			if got := errors.Is(err, outbound.ErrOffline) && errors.Is(err, deliver.ErrForbidden); got != offline {
				t.Errorf("%s %s: %v, want refused %t", name, address, err, offline)
			}
		}
	}
	if asked.asked != 0 {
		t.Errorf("%d names were looked up, want none", asked.asked)
	}
	guarded := newClient(t, deliver.Config{}, nil)
	if err := guarded.CheckAddress(t.Context(), server.URL); !errors.Is(err, deliver.ErrForbidden) {
		t.Errorf("loopback that is not allowed: %v, want ErrForbidden", err)
	}
}
