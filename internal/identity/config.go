package identity

import "stoa.dev/stoa/internal/identity/oidc"

// Config says where users come from besides the operator's commands.
type Config struct {
	// OIDC is a provider at which users sign in.
	OIDC oidc.Config `yaml:"oidc"`
}

// DefaultConfig knows users of this installation only.
func DefaultConfig() Config { return Config{OIDC: oidc.DefaultConfig()} }

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error { return c.OIDC.Validate() }
