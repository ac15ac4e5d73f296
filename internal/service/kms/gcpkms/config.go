package gcpkms

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Config is where the key is and how to authenticate.
type Config struct {
	// Key is the full name of the key: projects/P/locations/L/keyRings/R/cryptoKeys/K.
	Key string `yaml:"key"`
	// CredentialsFile is the key of a service account; empty means the
	// machine's default credentials.
	CredentialsFile string `yaml:"credentials_file"`
	// Endpoint is the service's address.
	Endpoint string `yaml:"endpoint"`
}

// DefaultConfig uses the public endpoint.
func DefaultConfig() Config { return Config{Endpoint: "https://cloudkms.googleapis.com"} }

var keyName = regexp.MustCompile(`^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/?#:]+$`)

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	if !keyName.MatchString(c.Key) {
		bad = append(bad, fmt.Errorf("kms.gcpkms.key: %q is not projects/P/locations/L/keyRings/R/cryptoKeys/K",
			c.Key))
	}
	if !strings.HasPrefix(c.Endpoint, "https://") && !strings.HasPrefix(c.Endpoint, "http://127.0.0.1:") {
		bad = append(bad, fmt.Errorf("kms.gcpkms.endpoint: %q is not an https address", c.Endpoint))
	}
	return errors.Join(bad...)
}
