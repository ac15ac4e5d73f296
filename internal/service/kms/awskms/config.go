package awskms

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Config is where the key is. Credentials are the machine's: environment,
// shared files, web identity, container or instance role.
type Config struct {
	// Key is the key's id or ARN. An alias is refused: it could be pointed at
	// another key, which makes old data unreadable.
	Key string `yaml:"key"`
	// Region is where it is, such as eu-central-1.
	Region string `yaml:"region"`
	// Endpoint replaces the region's own address.
	Endpoint string `yaml:"endpoint"`
}

var (
	keyName    = regexp.MustCompile(`^(arn:[^/]+:key/)?[0-9a-zA-Z-]{1,64}$`)
	regionName = regexp.MustCompile(`^[a-z0-9-]{3,32}$`)
)

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	if !keyName.MatchString(c.Key) {
		bad = append(bad, fmt.Errorf("kms.awskms.key: %q is not a key id or ARN", c.Key))
	}
	if !regionName.MatchString(c.Region) {
		bad = append(bad, fmt.Errorf("kms.awskms.region: %q is not a region", c.Region))
	}
	if c.Endpoint != "" && !strings.HasPrefix(c.Endpoint, "https://") &&
		!strings.HasPrefix(c.Endpoint, "http://127.0.0.1:") {
		bad = append(bad, fmt.Errorf("kms.awskms.endpoint: %q is not an https address", c.Endpoint))
	}
	return errors.Join(bad...)
}

func (c Config) endpoint() string {
	if c.Endpoint != "" {
		return strings.TrimSuffix(c.Endpoint, "/") + "/"
	}
	domain := "amazonaws.com"
	if strings.HasPrefix(c.Region, "cn-") {
		domain += ".cn"
	}
	return "https://kms." + c.Region + "." + domain + "/"
}
