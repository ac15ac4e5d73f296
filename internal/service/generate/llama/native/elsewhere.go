//go:build !(linux && amd64)

package native

import (
	"errors"

	"stoa.dev/stoa/internal/service/generate/llama"
)

// Open says that there is no engine for this machine.
func Open(llama.Load) (llama.Model, error) {
	return nil, errors.New("local models need Linux on an x86-64 processor; use an upstream here")
}
