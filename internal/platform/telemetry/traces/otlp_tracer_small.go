//go:build small

package traces

import (
	"stoa.dev/stoa/internal/platform/leftout"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// Open refuses: the small build speaks to no collector.
func Open(Options) (telemetry.Tracer, error) { return nil, &leftout.Error{Part: leftout.Traces} }
