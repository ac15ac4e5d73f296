package registry

import (
	"fmt"
	"net/url"
	"strings"
)

// Kind is an ecosystem that has registries.
type Kind string

// The ecosystems whose registries can be found.
const (
	Go       Kind = "go"
	NPM      Kind = "npm"
	Cargo    Kind = "cargo"
	Maven    Kind = "maven"
	PyPI     Kind = "pypi"
	NuGet    Kind = "nuget"
	RubyGems Kind = "rubygems"
)

// Kinds lists all ecosystems.
func Kinds() []Kind { return []Kind{Go, NPM, Cargo, Maven, PyPI, NuGet, RubyGems} }

// Address is where one registry answers and how that was found out.
type Address struct {
	Kind Kind
	// URL has no trailing slash and no user information.
	URL string
	// From says where the address was found, in words for the operator.
	From string
	// user is the basic credential that stood in the address.
	user *url.Userinfo
	// found means that the address was not configured but found.
	found bool
}

// Credential says what becomes of a credential that stood in the address:
// nothing is sent that was merely found.
func (a Address) Credential() string {
	switch {
	case a.user == nil:
		return ""
	case a.found:
		return "found, not sent"
	}
	return "configured, sent"
}

// AsFound is an address that was not configured but found: its credential is not
// sent.
func (a Address) AsFound() Address {
	a.found = true
	return a
}

// Join is the URL of a path below the address. The path is already escaped.
func (a Address) Join(path string) string {
	return a.URL + "/" + strings.TrimPrefix(path, "/")
}

// Host is the address's host and port.
func (a Address) Host() string {
	u, err := url.Parse(a.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// NewAddress reads an address as a file or an operator wrote it. Credentials in it
// are kept apart, so that no log and no page shows them.
func NewAddress(kind Kind, text, from string) (Address, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "sparse+")
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, fmt.Errorf("registry: the address of %s from %s is not a URL", kind, from)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return Address{}, fmt.Errorf("registry: the address of %s from %s is not an http address", kind, from)
	}
	if u.Host == "" {
		return Address{}, fmt.Errorf("registry: the address of %s from %s has no host", kind, from)
	}
	user := u.User
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return Address{Kind: kind, URL: strings.TrimSuffix(u.String(), "/"), From: from, user: user}, nil
}
