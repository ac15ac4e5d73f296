package app

import "stoa.dev/stoa/internal/platform/seed"

// SeedSchema describes seed files as a JSON schema for editors.
func SeedSchema() ([]byte, error) {
	p := blueprint()
	return seed.Schema(seeds(p.identity, p.modules))
}
