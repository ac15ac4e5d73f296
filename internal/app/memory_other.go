//go:build !linux

package app

// releaseProgram is for Linux, where resident memory is what operators see.
func releaseProgram() {}
