package articles_test

import (
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestOfficialNPMClient calls the operations of qiita-js.
func TestOfficialNPMClient(t *testing.T) {
	world.Node(t, "npm", "client.mjs", world.Start(t))
}

// TestOfficialCommandLine writes, publishes, changes and pulls articles with
// qiita-cli, which speaks HTTPS only: the local authority vouches.
func TestOfficialCommandLine(t *testing.T) {
	env := world.Start(t, "--https", "127.0.0.1:0")
	env["NODE_EXTRA_CA_CERTS"] = env["STOA_CA_FILE"]
	env["WORK"] = t.TempDir()
	world.Node(t, "npm", "tool.mjs", env)
}
