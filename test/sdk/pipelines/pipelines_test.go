package pipelines_test

import (
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestClients plays npm/pipelines.mjs.
func TestClients(t *testing.T) {
	world.Node(t, "npm", "pipelines.mjs", world.Start(t))
}

// TestPython runs the scripts under python.
func TestPython(t *testing.T) { world.PythonClients(t, world.Options{}) }
