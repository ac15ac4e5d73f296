package pipelines_test

import (
	"os"
	"os/exec"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestClients plays npm/pipelines.mjs, after npm ci in that folder.
func TestClients(t *testing.T) {
	if _, err := os.Stat("npm/node_modules"); err != nil {
		t.Skip("run npm ci in test/sdk/pipelines/npm first, or make sdk")
	}
	env := world.Start(t)
	node := exec.Command("node", "pipelines.mjs")
	node.Dir = "npm"
	node.Env = os.Environ()
	for name, value := range env {
		node.Env = append(node.Env, name+"="+value)
	}
	out, err := node.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
