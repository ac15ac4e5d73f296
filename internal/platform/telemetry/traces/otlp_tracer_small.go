//go:build small

package traces

import (
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// Open refuses a collector: the small build speaks to none.
func Open(o Options) (telemetry.Tracer, error) {
	if o.Endpoint == "" {
		return nil, nil
	}
	return nil, &smallbuild.Error{Part: smallbuild.Traces}
}
