//go:build !linux

package usage

// machineMemory is unknown where nothing is run.
func machineMemory() int64 { return 0 }
