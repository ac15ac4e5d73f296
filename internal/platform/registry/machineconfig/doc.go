// Package machineconfig finds the registries that this machine's package managers use:
// in the configuration of Stoa, in the environment, in their files, and by asking
// the programs themselves. It fetches nothing.
package machineconfig
