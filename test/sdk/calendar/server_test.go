package calendar_test

import (
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// serve starts a demo world whose outbound calls trust the authority and may go
// to loopback.
func serve(t *testing.T, authority string) *world.Server {
	t.Helper()
	return world.Serve(t, world.Options{
		Env: []string{"STOA_DELIVER_ALLOW=127.0.0.0/8", "STOA_DELIVER_TRUSTED_CA_FILE=" + authority},
	})
}
