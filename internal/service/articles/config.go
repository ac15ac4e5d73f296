package articles

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Config holds what the contract leaves open.
type Config struct {
	// Host is the article host; teams live at TEAM. before it.
	Host string `yaml:"host"`
	// CodeTTL is how long a code waits to be exchanged for a token.
	CodeTTL time.Duration `yaml:"code_ttl"`
	// MonthlyUploadBytes is how many bytes a user may upload in a month.
	MonthlyUploadBytes int64 `yaml:"monthly_upload_bytes"`
	// UserPerHour is how many requests a user with a token may make in an
	// hour.
	UserPerHour int64 `yaml:"user_per_hour"`
	// AnonymousPerHour is how many requests an address without a token may make in an hour.
	AnonymousPerHour int64 `yaml:"anonymous_per_hour"`
}

// DefaultConfig serves teams at TEAM.localhost.
func DefaultConfig() Config {
	return Config{
		Host: "localhost", CodeTTL: 10 * time.Minute, MonthlyUploadBytes: 100 << 20,
		UserPerHour: 1000, AnonymousPerHour: 60,
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	if c.Host == "" || strings.ContainsAny(c.Host, "*:/ ") {
		bad = append(bad, fmt.Errorf("articles.host: %q is not a host name", c.Host))
	}
	if c.CodeTTL < time.Second {
		bad = append(bad, fmt.Errorf("articles.code_ttl must be at least 1s, not %s", c.CodeTTL))
	}
	if c.MonthlyUploadBytes < 0 {
		bad = append(bad, errors.New("articles.monthly_upload_bytes must not be negative"))
	}
	if c.UserPerHour < 1 || c.AnonymousPerHour < 1 {
		bad = append(bad, errors.New("articles.user_per_hour and articles.anonymous_per_hour must be at least 1"))
	}
	return errors.Join(bad...)
}
