package upstream

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// The forms that upstreams speak.
const (
	FormOpenAI = "openai"
	FormSame   = "same"
)

// Config is a group of servers that have models.
type Config struct {
	Name string `yaml:"name"`
	// Form is openai, or same for servers that speak this very API; empty is
	// openai.
	Form string `yaml:"form"`
	// URLs are base addresses, tried in turn: up to and including /v1, or
	// /v1beta for the form same.
	URLs []string `yaml:"urls"`
	// Key is sent as a bearer token, or in this API's own header.
	Key string `yaml:"key" secret:"true"`
	// FirstByte is how long an answer may take to begin; Idle how long a stream may pause.
	FirstByte time.Duration `yaml:"first_byte"`
	Idle      time.Duration `yaml:"idle"`
	// Retries is how often another try is made before the first byte.
	Retries int `yaml:"retries"`
	// MaxConcurrent bounds the calls under way; more are refused.
	MaxConcurrent int `yaml:"max_concurrent"`
}

// Defaults of a Config. They run on the machine's clock: they bound real work.
const (
	defaultFirstByte     = time.Minute
	defaultIdle          = time.Minute
	defaultMaxConcurrent = 256
)

func (c Config) withDefaults() Config {
	if c.FirstByte == 0 {
		c.FirstByte = defaultFirstByte
	}
	if c.Idle == 0 {
		c.Idle = defaultIdle
	}
	if c.MaxConcurrent == 0 {
		c.MaxConcurrent = defaultMaxConcurrent
	}
	return c
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	if c.Name == "" || len(c.URLs) == 0 {
		bad = append(bad, errors.New("generate.upstreams: each needs a name and at least one of urls"))
	}
	for _, raw := range c.URLs {
		u, err := url.Parse(raw)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			bad = append(bad, fmt.Errorf("generate.upstreams %s: %q is not an http or https address", c.Name, raw))
		}
	}
	if c.Form != "" && c.Form != FormOpenAI && c.Form != FormSame {
		bad = append(bad, fmt.Errorf("generate.upstreams %s: form is openai or same, not %q", c.Name, c.Form))
	}
	if c.FirstByte < 0 || c.Idle < 0 || c.Retries < 0 || c.Retries > 10 || c.MaxConcurrent < 0 {
		bad = append(bad, fmt.Errorf("generate.upstreams %s: "+
			"first_byte, idle, max_concurrent must not be negative, retries 0 to 10", c.Name))
	}
	return errors.Join(bad...)
}
