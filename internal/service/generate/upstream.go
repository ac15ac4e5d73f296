package generate

import (
	"context"

	"stoa.dev/stoa/internal/platform/clock"
)

type upstream struct {
	config UpstreamConfig
	clock  clock.Clock
}

func newUpstream(c UpstreamConfig, k clock.Clock) *upstream { return &upstream{config: c, clock: k} }

func (u *upstream) Generate(context.Context, *Prompt, int, func(Piece) error) error {
	return errUnavailable(nil, "not yet")
}
func (u *upstream) Embed(context.Context, ModelConfig, []string) ([][]float32, error) {
	return nil, errUnavailable(nil, "not yet")
}
func (u *upstream) Check(context.Context) error { return nil }
