package console

import (
	"errors"
	"fmt"
	"time"
)

// Config bounds sessions, and attempts at passwords and device codes.
type Config struct {
	// SessionTTL is how long a browser stays signed in.
	SessionTTL time.Duration `yaml:"session_ttl"`
	// ConsentTTL is how long a consent page can be answered.
	ConsentTTL time.Duration `yaml:"consent_ttl"`
	// PasswordTries is how often a wrong password may be sent in 15 minutes for
	// one name from one network, and four times as often for all names. Beyond
	// twice as many for one name from all networks, each further try waits.
	PasswordTries int64 `yaml:"password_tries"`
	// CodeTries is how often a wrong device code may be typed in 15 minutes by
	// one user.
	CodeTries int64 `yaml:"code_tries"`
}

// DefaultConfig ends sessions after two weeks.
func DefaultConfig() Config {
	return Config{SessionTTL: 14 * 24 * time.Hour, ConsentTTL: 15 * time.Minute, PasswordTries: 10, CodeTries: 10}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	for name, d := range map[string]time.Duration{"session_ttl": c.SessionTTL, "consent_ttl": c.ConsentTTL} {
		if d < time.Minute {
			bad = append(bad, fmt.Errorf("console.%s must be at least 1m, not %s", name, d))
		}
	}
	for name, n := range map[string]int64{"password_tries": c.PasswordTries, "code_tries": c.CodeTries} {
		if n < 1 {
			bad = append(bad, fmt.Errorf("console.%s must be above 0, not %d", name, n))
		}
	}
	return errors.Join(bad...)
}
