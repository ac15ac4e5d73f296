package app

import (
	"strings"

	"stoa.dev/stoa/internal/app/doctor/machine"
)

// Reachable is why others may be able to ask this server, empty when only programs
// on this machine can.
func (c Config) Reachable() string { return c.Listen.Reachable(c.BaseURL) }

// Machine is what a process with these settings needs of its machine.
func (c Config) Machine() machine.Settings {
	return machine.Settings{
		Outbound: strings.TrimPrefix(c.Outbound(), "Outbound: "), Sandbox: c.Pipelines.ProgramSandbox(),
	}
}

// Outbound is one line that says what is asked outside without a request of the
// operator, and how to stop it.
func (c Config) Outbound() string {
	configured := strings.Join(c.Packages.Configured(), ", ")
	why := c.Packages.Undiscovered()
	switch {
	case c.Offline:
		return "Outbound: nothing, the server is offline"
	case c.Packages.Offline:
		return "Outbound: no package registry, packages.offline is set"
	case why == "":
		return "Outbound: packages that are not in the store are asked for at the registries that this machine's " +
			"package managers use (stoa packages sources lists them); --offline or packages.discover: false stops it"
	case configured != "":
		return "Outbound: packages that are not in the store are asked for at the configured registries (" +
			configured + "); --offline stops it"
	}
	return "Outbound: no package registry: none is configured and " + why
}
