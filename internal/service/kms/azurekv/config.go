package azurekv

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Config is where the key is and how to authenticate.
type Config struct {
	// Vault is the vault's address, such as https://NAME.vault.azure.net.
	Vault string `yaml:"vault"`
	// Key is the name of an RSA key.
	Key string `yaml:"key"`
	// TenantID, ClientID and ClientSecretFile are an application; without a
	// tenant the machine's managed identity is used, chosen by ClientID.
	TenantID string `yaml:"tenant_id"`
	// ClientID is the application, or without a tenant the managed identity to use.
	ClientID         string `yaml:"client_id"`
	ClientSecretFile string `yaml:"client_secret_file"` // ClientSecretFile holds the secret of the application.
	// Login and Identity are where tokens come from: the authority of applications
	// and the metadata server of machines.
	Login    string `yaml:"login"`
	Identity string `yaml:"identity"` // Identity is the metadata server that gives tokens of managed identities.
}

// DefaultConfig uses the public cloud.
func DefaultConfig() Config {
	return Config{Login: "https://login.microsoftonline.com", Identity: "http://169.254.169.254"}
}

var keyName = regexp.MustCompile(`^[0-9a-zA-Z-]{1,127}$`)

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	for name, address := range map[string]string{"vault": c.Vault, "login": c.Login} {
		if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://127.0.0.1:") {
			bad = append(bad, fmt.Errorf("kms.azurekv.%s: %q is not an https address", name, address))
		}
	}
	if !keyName.MatchString(c.Key) {
		bad = append(bad, fmt.Errorf("kms.azurekv.key: %q is not the name of a key", c.Key))
	}
	if c.TenantID != "" && (c.ClientID == "" || c.ClientSecretFile == "") {
		bad = append(bad, errors.New("kms.azurekv: tenant_id needs client_id and client_secret_file"))
	}
	return errors.Join(bad...)
}
