package kms

import (
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"time"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/kms/envelope"
)

// probeResult is what the last probe found.
type probeResult struct {
	at  time.Time
	err *Error // nil means healthy
}

// maxHealthText bounds the text of Status, in bytes.
const maxHealthText = 400

// Status says which key is current and whether it works. Within probe_every it
// repeats the last result; then the first caller has the next probe made.
func (s *Service) Status(ctx context.Context) (Health, error) {
	v := s.probed.Load()
	if v == nil || s.world.Clock.Now().Sub(v.at) >= s.config.ProbeEvery {
		got, err := s.shared.Do(ctx, "probe", func(ctx context.Context) (any, error) { return s.probe(ctx), nil })
		if err != nil {
			return Health{}, asError("the probe", err)
		}
		v = got.(*probeResult)
	}
	w := s.active.Load()
	if w == nil {
		if v.err != nil {
			return Health{}, v.err
		}
		return Health{}, errNoKey()
	}
	h := Health{Text: Healthy, KeyID: w.key.ID}
	if v.err != nil {
		h.Text = wire.Clip(v.err.Message, maxHealthText)
	}
	return h, nil
}

// probe refreshes and lets the provider wrap and unwrap: a lost permission to
// decrypt must not stay hidden until a restart.
func (s *Service) probe(ctx context.Context) *probeResult {
	err := s.change(ctx, s.refresh)
	if err == nil {
		err = s.roundTrip(ctx)
	}
	v := &probeResult{at: s.world.Clock.Now()}
	if err != nil {
		v.err = asError("the key provider", err)
	}
	s.logHealthChange(ctx, v)
	s.probed.Store(v)
	return v
}

// logHealthChange logs when health changes, not at every poll.
func (s *Service) logHealthChange(ctx context.Context, v *probeResult) {
	last := s.probed.Load()
	switch {
	case v.err != nil && (last == nil || last.err == nil):
		s.world.Telemetry.Log.LogAttrs(ctx, slog.LevelWarn, "key provider unhealthy",
			slog.String("service", Name), slog.String("error", v.err.Message))
	case v.err == nil && last != nil && last.err != nil:
		s.world.Telemetry.Log.LogAttrs(ctx, slog.LevelInfo, "key provider healthy again", slog.String("service", Name))
	}
}

// roundTrip wraps a throw-away secret and unwraps it.
func (s *Service) roundTrip(ctx context.Context) error {
	w := s.active.Load()
	if w == nil {
		return errNoKey()
	}
	secret := make([]byte, envelope.KeySize)
	_, _ = s.world.IDs.Read(secret) // never fails
	p, binding := s.providerOf(w.key.Provider), wrapBinding(w.key.ID)
	wrapped, err := p.Wrap(ctx, w.key.Version, secret, binding)
	if err != nil {
		return err
	}
	back, err := p.Unwrap(ctx, w.key.Version, wrapped, binding)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(secret, back) != 1 {
		return errInternal("the key provider gives back another secret than it was given")
	}
	return nil
}

// check is the module's readiness.
func (s *Service) check(ctx context.Context) error {
	h, err := s.Status(ctx)
	if err == nil && h.Text != Healthy {
		err = errors.New(h.Text)
	}
	return err
}
