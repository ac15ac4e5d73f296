package transit

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Config is where the key is and how to authenticate. Exactly one of
// token, token_file and role_id is given.
type Config struct {
	// Address is the server, such as https://vault.example:8200.
	Address string `yaml:"address"`
	// Namespace is sent with every request when it is not empty.
	Namespace string `yaml:"namespace"`
	// Mount is where the transit engine is mounted.
	Mount string `yaml:"mount"`
	// Key is the name of the key.
	Key string `yaml:"key"`
	// Token, or the file an agent keeps one in.
	Token     string `yaml:"token" secret:"true"`
	TokenFile string `yaml:"token_file"` // TokenFile is a file that an agent keeps the token in.
	// RoleID and SecretID, or its file, log in at AuthMount.
	RoleID       string `yaml:"role_id"`
	SecretID     string `yaml:"secret_id" secret:"true"` // SecretID logs in together with RoleID.
	SecretIDFile string `yaml:"secret_id_file"`          // SecretIDFile holds SecretID instead.
	AuthMount    string `yaml:"auth_mount"`              // AuthMount is where the login method is mounted.
	// CAFile has certificates to trust in addition to the system's.
	CAFile string `yaml:"ca_file"`
}

// DefaultConfig uses the names that the server gives to mounts.
func DefaultConfig() Config { return Config{Mount: "transit", AuthMount: "approle"} }

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	bad := []error{c.validateAddress()}
	for _, row := range []struct{ name, value string }{
		{"mount", c.Mount}, {"key", c.Key}, {"auth_mount", c.AuthMount},
	} {
		if row.value == "" || strings.HasPrefix(row.value, "/") || strings.Contains(row.value, "..") ||
			strings.ContainsAny(row.value, "?#% ") {
			bad = append(bad, fmt.Errorf("kms.transit.%s: %q is not a name", row.name, row.value))
		}
	}
	ways := 0
	for _, given := range []bool{c.Token != "", c.TokenFile != "", c.RoleID != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		bad = append(bad, errors.New("kms.transit: give exactly one of token, token_file and role_id"))
	}
	if c.RoleID != "" && (c.SecretID == "") == (c.SecretIDFile == "") {
		bad = append(bad, errors.New("kms.transit: role_id needs secret_id or secret_id_file"))
	}
	return errors.Join(bad...)
}

// validateAddress demands TLS, except for loopback: the token and the data keys are
// sent in the clear otherwise.
func (c Config) validateAddress() error {
	u, err := url.Parse(c.Address)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") ||
		u.User != nil || u.RawQuery != "" {
		return fmt.Errorf("kms.transit.address: %q is not an address such as https://vault.example:8200", c.Address)
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	if u.Scheme == "http" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("kms.transit.address: plain http is for loopback only; use https")
	}
	return nil
}
