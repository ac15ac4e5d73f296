//go:build packed

package bytepairs

import (
	_ "embed"
	"strings"
)

// packed is what tools/pack wrote before the build.
//
//go:embed packed/cl100k.gz
var packed string

// Words are the words of cl100k_base in the order of their numbers.
func Words() ([]string, error) { return Unpack(strings.NewReader(packed)) }
