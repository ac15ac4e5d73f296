package events_test

import (
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// server is a demo world.
type server struct {
	*world.Server
	env map[string]string
}

// start serves with fewer points a minute: the clients shall meet the limit
// soon.
func start(t *testing.T) *server {
	t.Helper()
	s := world.Serve(t, world.Options{Env: []string{"STOA_EVENTS_LIMITS_POINTS=70"}})
	return &server{Server: s, env: s.Env}
}
