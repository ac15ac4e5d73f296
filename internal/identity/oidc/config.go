package oidc

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/outbound"
)

// Config names the provider at which users sign in. Without an issuer there is none.
type Config struct {
	// Issuer is the provider's address, as its discovery document spells it.
	Issuer string `yaml:"issuer"`
	// ClientID is what this server is registered as at the provider.
	ClientID string `yaml:"client_id"`
	// ClientSecretFile holds the client's secret; empty means a public client.
	ClientSecretFile string `yaml:"client_secret_file"`
	// Name is what the sign-in page calls the provider; empty means its host.
	Name string `yaml:"name"`
	// Scopes are asked for besides openid.
	Scopes []string `yaml:"scopes"`
	// CAFile has certificates to trust in addition to the system's.
	CAFile string `yaml:"ca_file"`
	// Claims are the names under which the provider tells about a user.
	Claims ClaimNames `yaml:"claims"`
	// AllowedDomains are the domains of mail addresses that may sign in; empty
	// means everybody whom the provider lets in.
	AllowedDomains []string `yaml:"allowed_domains"`
	// TrustEmail takes addresses as verified although the provider does not say so.
	TrustEmail bool `yaml:"trust_email"`
	// Groups map groups of the provider to memberships here: GROUP=org/NAME,
	// GROUP=team/NAME, each with /ROLE if it is not member, or GROUP=admin.
	Groups []GroupRule `yaml:"groups"`
}

// ClaimNames are names of claims. A name with dots that is no claim itself leads into
// claims that are objects.
type ClaimNames struct {
	// UserName is the claim that new users are called by.
	UserName string `yaml:"user_name"`
	// Name is the claim with the name that pages show.
	Name string `yaml:"name"`
	// Email is the claim with the mail address. What the provider has verified is the claim email: another address counts
	// with trust_email only.
	Email string `yaml:"email"`
	// Groups is the claim with the groups, a text or a list of texts.
	Groups string `yaml:"groups"`
}

// DefaultConfig has the names of OpenID Connect, and groups where most providers
// have them.
func DefaultConfig() Config {
	return Config{
		Scopes: []string{"profile", "email"},
		Claims: ClaimNames{UserName: "preferred_username", Name: "name", Email: "email", Groups: "groups"},
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	if c.Issuer == "" {
		if c.ClientID != "" || c.ClientSecretFile != "" || len(c.Groups) > 0 || len(c.AllowedDomains) > 0 {
			return errors.New("identity.oidc.issuer: name the provider, or remove the rest of identity.oidc")
		}
		return nil
	}
	var bad []error
	if err := checkAddress(c.Issuer); err != nil {
		bad = append(bad, fmt.Errorf("identity.oidc.issuer: %w", err))
	}
	if c.ClientID == "" {
		bad = append(bad, errors.New("identity.oidc.client_id: name the client that the provider knows this server as"))
	}
	if c.Claims.UserName == "" || c.Claims.Name == "" || c.Claims.Email == "" || c.Claims.Groups == "" {
		bad = append(bad, errors.New("identity.oidc.claims: none of the names may be empty"))
	}
	if _, err := c.secret(); err != nil {
		bad = append(bad, fmt.Errorf("identity.oidc.client_secret_file: %w", err))
	}
	for _, domain := range c.AllowedDomains {
		if domain == "" || strings.ContainsAny(domain, "@/: ") {
			bad = append(bad, fmt.Errorf("identity.oidc.allowed_domains: %q is not a domain", domain))
		}
	}
	return errors.Join(bad...)
}

// Offline reports whether the provider cannot be asked while the server is offline.
func (c Config) Offline(gate *outbound.Gate) bool {
	return c.Issuer != "" && gate.Check(c.Issuer) != nil
}

// maxSecret is far above any client's secret.
const maxSecret = 4 << 10

func (c Config) secret() (string, error) {
	if c.ClientSecretFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(c.ClientSecretFile)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" || len(secret) > maxSecret {
		return "", errors.New("the file does not hold one secret")
	}
	return secret, nil
}

// scopes are those that are asked for.
func (c Config) scopes() []string {
	scopes := []string{"openid"}
	for _, s := range c.Scopes {
		if !slices.Contains(scopes, s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// checkAddress wants https, or http that does not leave the machine.
func checkAddress(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("%q is not the address of a provider", text)
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && outbound.New(true).Check(text) == nil:
		return nil
	}
	return fmt.Errorf("%q is neither https nor on this machine's loopback", text)
}
