package kms

import "context"

// Encrypt seals a message under the current key.
func (s *Service) Encrypt(ctx context.Context, plaintext []byte) (Sealed, error) {
	if len(plaintext) == 0 {
		return Sealed{}, errInvalid("plaintext is empty")
	}
	if len(plaintext) > maxPlaintext {
		return Sealed{}, errInvalid("plaintext has %d bytes, at most %d fit", len(plaintext), maxPlaintext)
	}
	// One round in the steady state, another after a renewal, more when others
	// used the new data key up in between: every round lets some caller finish.
	for ctx.Err() == nil {
		now := s.world.Clock.Now()
		w := s.active.Load()
		switch {
		case w == nil || s.stale(now):
			if err := s.refreshActive(ctx); err != nil {
				return Sealed{}, err
			}
			continue
		case w.data == nil || !w.data.use(now, s.config.DataKeyUses, s.config.DataKeyTime):
			if err := s.renew(ctx, w); err != nil {
				return Sealed{}, err
			}
			continue
		}
		if w.data.nearEnd(now, s.config.DataKeyUses, s.config.DataKeyTime) && now.UnixNano() >= s.retryAt.Load() {
			s.renewEarly(w, now)
		}
		return w.data.seal(plaintext)
	}
	return Sealed{}, asError("the key provider", ctx.Err())
}
