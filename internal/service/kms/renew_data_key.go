package kms

import (
	"context"
	"time"
)

// renew waits for a new data key.
func (s *Service) renew(ctx context.Context, w *activeKey) error {
	_, err := s.shared.Do(ctx, "renew", func(ctx context.Context) (any, error) { return nil, s.replaceDataKey(ctx, w) })
	if err != nil {
		return asError("the key provider", err)
	}
	return nil
}

// renewEarly has a successor made while the data key still works. When that
// fails, the next attempt waits, so that not every call asks the provider.
func (s *Service) renewEarly(w *activeKey, now time.Time) {
	s.retryAt.Store(now.Add(s.config.ProbeEvery).UnixNano())
	s.shared.Go("renew", func(ctx context.Context) (any, error) {
		err := s.replaceDataKey(ctx, w)
		if err == nil {
			s.retryAt.Store(0)
		}
		return nil, err
	})
}

// replaceDataKey makes the successor of a data key, unless another caller did.
func (s *Service) replaceDataKey(ctx context.Context, w *activeKey) error {
	return s.change(ctx, func(ctx context.Context) error {
		if s.active.Load() != w {
			return nil
		}
		d, err := s.makeDataKey(ctx, w.key)
		if err != nil {
			return err
		}
		s.active.Store(&activeKey{key: w.key, data: d})
		return nil
	})
}
