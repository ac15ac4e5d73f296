//go:build !(linux && amd64)

package llama

import (
	"errors"

	"stoa.dev/stoa/engine"
)

// Open fails: there is no engine for this machine.
func Open(engine.Load) (engine.Model, error) {
	return nil, errors.New("local models need Linux on an x86-64 processor; use an upstream here")
}
