package kms

import (
	"context"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/kms/apicheck"
	"stoa.dev/stoa/internal/service/kms/envelope"
)

// runCheck prints what was found, or fails with what an API server would refuse.
func (s *Service) runCheck(ctx context.Context, in *module.Input) (any, error) {
	path := strings.TrimPrefix(in.Text("socket"), "unix://")
	if !filepath.IsAbs(path) {
		return nil, module.Fail(module.Usage, "name it as /PATH or unix:///PATH", "%s is not an absolute path", path)
	}
	seed := make([]byte, envelope.KeySize)
	_, _ = s.world.IDs.Read(seed) // never fails
	// By the machine's clock, as the API server's is.
	report, err := apicheck.Run(ctx, apicheck.Options{
		Socket: path, Timeout: in.Duration("timeout"), Now: clock.Real().Now, Seed: seed,
	})
	if err != nil {
		return nil, commandError(err)
	}
	if report.Good() {
		return report, nil
	}
	var bad []string
	for _, f := range report.Findings {
		if !f.Good {
			bad = append(bad, f.Step+": "+f.Text)
		}
	}
	return nil, module.Fail(module.Failed, "see docs/services/kms.md",
		"the API server would refuse %s: %s", report.Endpoint, strings.Join(bad, "; "))
}
