package kms

import (
	"fmt"

	"stoa.dev/stoa/internal/service/kms/transit"
)

// buildProviders prepares the local provider and every remote one that is
// configured: keys of an earlier provider must still decrypt.
func (s *Service) buildProviders() error {
	s.providers[ProviderLocal] = localProvider{s}
	c, clock, gate := s.config, s.world.Clock, s.world.Outbound
	for _, row := range []struct {
		name       string
		configured bool
		make       func() (Provider, error)
	}{
		{
			ProviderTransit, c.Transit.Address != "",
			func() (Provider, error) { return transit.New(c.Transit, clock, gate) },
		},
		{
			ProviderAWSKMS, c.AWSKMS.Key != "",
			func() (Provider, error) { return newAWSKMS(c.AWSKMS, clock, gate) },
		},
		{ProviderGCPKMS, c.GCPKMS.Key != "", func() (Provider, error) { return newGCPKMS(c.GCPKMS, gate) }},
		{ProviderAzureKV, c.AzureKV.Key != "", func() (Provider, error) { return newAzureKV(c.AzureKV, gate) }},
	} {
		if !row.configured {
			continue
		}
		p, err := row.make()
		if err != nil {
			return fmt.Errorf("kms.%s: %w", row.name, err)
		}
		s.providers[row.name] = newThrottle(p, c.RemoteCalls, c.CallTimeout)
	}
	return nil
}

// providerOf finds the provider of a key.
func (s *Service) providerOf(name string) Provider {
	if p, ok := s.providers[name]; ok {
		return p
	}
	return unconfigured{name}
}
