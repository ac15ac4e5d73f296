package kms

import (
	"fmt"

	"stoa.dev/stoa/internal/service/kms/transit"
)

// buildProviders prepares the local provider and every remote one that is
// configured: keys of an earlier choice must still decrypt.
func (s *Service) buildProviders() error {
	s.providers[ProviderLocal] = localKeys{s}
	if s.config.Transit.Address != "" {
		t, err := transit.New(s.config.Transit, s.world.Clock)
		if err != nil {
			return fmt.Errorf("kms.transit: %w", err)
		}
		s.providers[ProviderTransit] = s.bound(t)
	}
	return nil
}

func (s *Service) bound(p Provider) Provider {
	return newBounded(p, s.config.RemoteCalls, s.config.CallTimeout)
}

// providerOf finds the provider of a key.
func (s *Service) providerOf(name string) Provider {
	if p, ok := s.providers[name]; ok {
		return p
	}
	return absent{name}
}
