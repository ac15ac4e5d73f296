package kms_test

import (
	"path/filepath"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// product is one life of the true binary with its socket.
type product struct {
	*world.Server
	socket string
}

// start serves a data folder. Settings are environment assignments.
func start(t *testing.T, dir string, settings ...string) *product {
	t.Helper()
	p := &product{socket: filepath.Join(dir, "kms.sock")}
	p.Server = world.Serve(t, world.Options{
		Bare: true, Data: filepath.Join(dir, "data"), Args: []string{"--kms-socket", p.socket}, Env: settings,
	})
	return p
}
