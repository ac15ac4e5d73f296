package app

import "stoa.dev/stoa/internal/platform/seed"

// SeedSchema describes seed files as a JSON schema for editors.
func SeedSchema() ([]byte, error) {
	_, identity, modules := blueprint()
	return seed.Schema(seeds(identity, modules))
}
