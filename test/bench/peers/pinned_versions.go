package main

// pin is one thing that is fetched, at one version.
type pin struct {
	name    string // of the folder below .cache/peers
	from    string // Go package with a main function, or npm package
	version string
	// override names versions of packages below it that its own requirements do
	// not find in the registry.
	override map[string]string
}

const (
	kmsLibrary  = "k8s.io/kms"
	nodeProgram = "node"
)

// pins are all versions of one run. A newer one is tried by changing its line.
func pins() map[string]pin {
	all := map[string]pin{}
	for _, p := range []pin{
		// The newest that Go 1.26 builds: later ones require Go 1.27.
		{name: "pocketbase", from: "github.com/pocketbase/pocketbase/examples/base", version: "v0.36.8"},
		{name: "stripe-mock", from: "github.com/stripe/stripe-mock", version: "v0.203.0"},
		// Linked into this program, at the version of go.mod.
		{name: "kms", from: kmsLibrary, version: "v0.37.2"},
		{
			name: "verdaccio", from: "verdaccio", version: "6.10.4",
			// It asks for a tag, cjs, that registries need not have.
			override: map[string]string{"node-fetch": "2.6.7"},
		},
		{name: "aimock", from: "@copilotkit/aimock", version: "1.43.0"},
		{name: "emulate", from: "emulate", version: "0.12.2"},
		{name: "prism", from: "@stoplight/prism-cli", version: "5.16.0"},
		// What runs the four above; the name of the processor is added to it.
		{name: nodeProgram, from: "node-linux-", version: "24.21.0"},
	} {
		all[p.name] = p
	}
	return all
}
