package module

import (
	"slices"

	"stoa.dev/stoa/internal/platform/ids"
)

// CredentialKind is the sort of a token or key; identity lists them.
type CredentialKind string

// Alphabet is the set of characters a secret is drawn from.
type Alphabet string

// The alphabets that contracts ask for.
const (
	Hex          Alphabet = "0123456789abcdef"
	Alphanumeric Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	URLSafe      Alphabet = Alphanumeric + "-_"
)

// Format is what a secret looks like: a fixed prefix, then Length characters.
// The zero Format is 43 URL-safe characters, 256 bits.
type Format struct {
	Prefix   string
	Alphabet Alphabet
	Length   int
}

// Make draws a new secret.
func (f Format) Make(source *ids.Source) string {
	if f.Alphabet == "" {
		f.Alphabet = URLSafe
	}
	if f.Length == 0 {
		f.Length = 43
	}
	return f.Prefix + source.Text(string(f.Alphabet), f.Length)
}

// Issued are the kinds of credentials that are made for the service: its keys, or the kind
// of token. What has neither keys nor scopes takes none, or those of other services.
func (m Module) Issued(token CredentialKind) []CredentialKind {
	if len(m.Keys) == 0 && len(m.Scopes) > 0 {
		return []CredentialKind{token}
	}
	return slices.Clone(m.Keys)
}

// DemoCredential is a credential of the demo world that opens the service. One
// that several services name by the same variable opens all of them.
type DemoCredential struct {
	// Variable is its name in demo.env.
	Variable string
	Kind     CredentialKind
	// Guest credentials belong to Demo.Guest, the others to Demo.User.
	Guest bool
}
