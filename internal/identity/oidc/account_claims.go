package oidc

import (
	"slices"
	"strings"
)

// Account is what the provider said about a user who signed in.
type Account struct {
	// Issuer and Subject name the user for ever; everything else may change.
	Issuer, Subject string
	// UserName is a wish; Name and Email are empty where the provider says nothing.
	UserName, Name, Email string
	Memberships           []Membership
}

// claims are the members of an id token or of userinfo.
type claims map[string]any

// lookup finds a claim by its name, or by a path into claims that are objects.
func (c claims) lookup(name string) any {
	if v, ok := c[name]; ok {
		return v
	}
	first, rest, ok := strings.Cut(name, ".")
	if !ok {
		return nil
	}
	inner, ok := c[first].(map[string]any)
	if !ok {
		return nil
	}
	return claims(inner).lookup(rest)
}

// maxText bounds what is taken of one claim.
const maxText = 1 << 10

func (c claims) text(name string) string {
	text, _ := c.lookup(name).(string)
	if len(text) > maxText {
		return ""
	}
	return strings.TrimSpace(text)
}

// list reads a claim that is a list of texts or a single text.
func (c claims) list(name string) []string {
	switch v := c.lookup(name).(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, item := range v {
			if text, ok := item.(string); ok {
				list = append(list, text)
			}
		}
		return list
	}
	return nil
}

// verified reports whether the provider has checked the mail address. The claim that says so speaks about the claim
// email alone (OpenID Connect Core 5.1): an address that is told in another one is only as good as it if it is the
// same. Some providers write the claim as text.
func (c claims) verified(address string) bool {
	if address != c.text("email") {
		return false
	}
	switch v := c["email_verified"].(type) {
	case bool:
		return v
	case string:
		return v == "true"
	}
	return false
}

// add takes over what the claims do not say. A mail address and whether it is verified belong together, so both are
// from the same answer.
func (c claims) add(more claims) {
	if _, has := c["email"]; has {
		delete(more, "email_verified")
	} else if _, has := more["email"]; has {
		delete(c, "email_verified")
	}
	for name, value := range more {
		if _, has := c[name]; !has {
			c[name] = value
		}
	}
}

// isComplete reports whether there is nothing left to ask userinfo for.
func (c Config) isComplete(told claims) bool {
	for _, name := range []string{c.Claims.UserName, c.Claims.Name, c.Claims.Email} {
		if told.lookup(name) == nil {
			return false
		}
	}
	return len(c.Groups) == 0 || told.lookup(c.Claims.Groups) != nil
}

// account turns claims into an Account, or says why the user may not sign in.
func (c Config) account(told claims) (Account, error) {
	a := Account{
		UserName: told.text(c.Claims.UserName), Name: told.text(c.Claims.Name), Email: told.text(c.Claims.Email),
		Memberships: memberships(c.Groups, told.list(c.Claims.Groups)),
	}
	verified := c.TrustEmail || told.verified(a.Email)
	if len(c.AllowedDomains) > 0 && !(verified && c.allowed(a.Email)) {
		return Account{}, refuse("Accounts with this mail address may not sign in here.",
			"the domain of the address is not in identity.oidc.allowed_domains, or the address is not verified")
	}
	if !verified {
		a.Email = "" // others would believe it
	}
	return a, nil
}

func (c Config) allowed(email string) bool {
	at := strings.LastIndexByte(email, '@')
	return at > 0 && slices.ContainsFunc(c.AllowedDomains, func(domain string) bool {
		return strings.EqualFold(domain, email[at+1:])
	})
}
