package kms

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"stoa.dev/stoa/internal/service/kms/envelope"
)

// verdict is what the last probe found.
type verdict struct {
	at  time.Time
	err *Error // nil when all is well
}

// maxWords bounds what Status says.
const maxWords = 400

// Status says which key is current and whether it works. Within probe_every it
// repeats the last verdict; then the first caller has it made anew.
func (s *Service) Status(ctx context.Context) (Health, error) {
	v := s.verdict.Load()
	if v == nil || s.world.Clock.Now().Sub(v.at) >= s.config.ProbeEvery {
		got, err := s.flights.do(ctx, "probe", func(ctx context.Context) (any, error) { return s.probe(ctx), nil })
		if err != nil {
			return Health{}, asError("the probe", err)
		}
		v = got.(*verdict)
	}
	w := s.writer.Load()
	if w == nil {
		if v.err != nil {
			return Health{}, v.err
		}
		return Health{}, errNoKey()
	}
	h := Health{Words: Healthy, KeyID: w.key.ID}
	if v.err != nil {
		h.Words = clip(v.err.Message, maxWords)
	}
	return h, nil
}

// probe looks for changes and lets the provider wrap and unwrap: a lost
// permission to decrypt must not stay hidden until a restart.
func (s *Service) probe(ctx context.Context) *verdict {
	err := s.change(ctx, s.refresh)
	if err == nil {
		err = s.roundTrip(ctx)
	}
	v := &verdict{at: s.world.Clock.Now()}
	if err != nil {
		v.err = asError("the key provider", err)
	}
	s.noteHealth(v)
	s.verdict.Store(v)
	return v
}

// noteHealth logs when health changes, not at every poll.
func (s *Service) noteHealth(v *verdict) {
	last := s.verdict.Load()
	switch {
	case v.err != nil && (last == nil || last.err == nil):
		s.world.Telemetry.Log.Warn("the key provider is unhealthy", "service", Name, "error", v.err.Message)
	case v.err == nil && last != nil && last.err != nil:
		s.world.Telemetry.Log.Info("the key provider is healthy again", "service", Name)
	}
}

// roundTrip wraps a throw-away secret and unwraps it.
func (s *Service) roundTrip(ctx context.Context) error {
	w := s.writer.Load()
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
		return fail(CodeInternal, nil, "the key provider gives back another secret than it was given")
	}
	return nil
}

// check is the module's readiness.
func (s *Service) check(ctx context.Context) error {
	h, err := s.Status(ctx)
	if err == nil && h.Words != Healthy {
		err = errors.New(h.Words)
	}
	return err
}
