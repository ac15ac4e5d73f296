package credential

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// Credential is what a caller sent to be known by.
type Credential struct {
	// Style is how it was sent: "bearer", "header", "query", "basic", "keypair".
	Style string
	// Value is the token, the key or the Basic user.
	Value string
	// Second is the application key or the Basic password.
	Second string
	// Malformed means that there was a credential but it could not be read; the
	// other fields are then empty but for Style.
	Malformed bool
}

// Extractor finds one style of credential in a request; false means that there
// is none of that style.
type Extractor func(*http.Request) (Credential, bool)

// Bearer takes "Authorization: Bearer TOKEN" (RFC 6750). The word is matched
// without case. Another well-formed scheme is not ours and counts as none.
func Bearer() Extractor {
	return func(r *http.Request) (Credential, bool) {
		scheme, rest, found, ok := authorization(r)
		if !found {
			return Credential{}, false
		}
		if !ok {
			return Credential{Style: "bearer", Malformed: true}, true
		}
		if !strings.EqualFold(scheme, "Bearer") {
			return Credential{}, false
		}
		if !isToken(rest) {
			return Credential{Style: "bearer", Malformed: true}, true
		}
		return Credential{Style: "bearer", Value: rest}, true
	}
}

// Header takes the value of the first of the named headers that is present.
func Header(names ...string) Extractor {
	keys := canonical(names)
	return func(r *http.Request) (Credential, bool) {
		value, found, ok := headerValue(r.Header, keys)
		return oneCredential("header", value, found, ok)
	}
}

// Query takes the value of the first of the named query parameters that is
// present.
func Query(names ...string) Extractor {
	return func(r *http.Request) (Credential, bool) {
		if r.URL.RawQuery == "" {
			return Credential{}, false
		}
		value, found, ok := queryValue(r, names)
		return oneCredential("query", value, found, ok)
	}
}

// BasicUser takes a token that is sent as the user of "Authorization: Basic"
// with an empty password; a password that is not empty is malformed.
func BasicUser() Extractor {
	return func(r *http.Request) (Credential, bool) {
		scheme, rest, found, ok := authorization(r)
		if !found {
			return Credential{}, false
		}
		bad := Credential{Style: "basic", Malformed: true}
		if !ok {
			return bad, true
		}
		if !strings.EqualFold(scheme, "Basic") {
			return Credential{}, false
		}
		raw, err := base64.StdEncoding.DecodeString(rest)
		if err != nil {
			return bad, true
		}
		user, password, split := strings.Cut(string(raw), ":")
		if !split || user == "" || password != "" || hasControl(user) {
			return bad, true
		}
		return Credential{Style: "basic", Value: user}, true
	}
}

// KeyPair takes two headers that are sent together, each under any of its
// names. The second is optional here: whether it is needed is the service's
// to say. The second alone is malformed.
func KeyPair(header1, header2 []string) Extractor {
	first, second := canonical(header1), canonical(header2)
	return func(r *http.Request) (Credential, bool) {
		one, found1, ok1 := headerValue(r.Header, first)
		two, found2, ok2 := headerValue(r.Header, second)
		return pairCredential(one, found1, ok1, two, found2, ok2)
	}
}

// QueryPair is KeyPair for two query parameters.
func QueryPair(first, second []string) Extractor {
	return func(r *http.Request) (Credential, bool) {
		if r.URL.RawQuery == "" {
			return Credential{}, false
		}
		one, found1, ok1 := queryValue(r, first)
		two, found2, ok2 := queryValue(r, second)
		return pairCredential(one, found1, ok1, two, found2, ok2)
	}
}

func pairCredential(one string, found1, ok1 bool, two string, found2, ok2 bool) (Credential, bool) {
	switch {
	case !found1 && !found2:
		return Credential{}, false
	case !found1 || !ok1 || (found2 && !ok2):
		return Credential{Style: "keypair", Malformed: true}, true
	}
	return Credential{Style: "keypair", Value: one, Second: two}, true
}

// FirstOf asks the extractors in order. The first readable credential wins; if
// there is none, a malformed one is reported rather than none.
func FirstOf(list ...Extractor) Extractor {
	return func(r *http.Request) (Credential, bool) {
		var bad Credential
		for _, extract := range list {
			c, ok := extract(r)
			if ok && !c.Malformed {
				return c, true
			}
			if ok && !bad.Malformed {
				bad = c
			}
		}
		return bad, bad.Malformed
	}
}

func oneCredential(style, value string, found, ok bool) (Credential, bool) {
	if found && !ok {
		return Credential{Style: style, Malformed: true}, true
	}
	return Credential{Style: style, Value: value}, found
}

// authorization splits the Authorization header into scheme and rest. Two
// headers, an empty one or one without a scheme are found but not ok.
func authorization(r *http.Request) (scheme, rest string, found, ok bool) {
	lines := r.Header["Authorization"]
	if len(lines) == 0 {
		return "", "", false, false
	}
	if len(lines) > 1 {
		return "", "", true, false
	}
	scheme, rest, split := strings.Cut(lines[0], " ")
	rest = strings.Trim(rest, " ")
	return scheme, rest, true, split && scheme != "" && rest != ""
}

// headerValue is the first of the named headers that is present. Repeated or
// empty ones are found but not ok.
func headerValue(h http.Header, keys []string) (value string, found, ok bool) {
	for _, k := range keys {
		lines := h[k]
		if len(lines) == 0 {
			continue
		}
		if len(lines) > 1 || !isToken(lines[0]) {
			return "", true, false
		}
		return lines[0], true, true
	}
	return "", false, false
}

// queryValue is the first of the named parameters that is present. Repeated or
// empty ones are found but not ok.
func queryValue(r *http.Request, names []string) (value string, found, ok bool) {
	for _, n := range names {
		text, times := parameter(r.URL.RawQuery, n)
		if times == 0 {
			continue
		}
		if times > 1 || !isToken(text) {
			return "", true, false
		}
		return text, true, true
	}
	return "", false, false
}

// parameter is the last value of a query parameter and how often it is there.
// It reads as url.ParseQuery does, without making a map of the whole query.
func parameter(query, name string) (value string, times int) {
	for part := range strings.SplitSeq(query, "&") {
		key, text, _ := strings.Cut(part, "=")
		if strings.Contains(part, ";") {
			continue // no parameter at all, says net/url
		}
		key, err := url.QueryUnescape(key)
		if err != nil || key != name || part == "" {
			continue
		}
		if text, err = url.QueryUnescape(text); err == nil {
			value = text
			times++
		}
	}
	return value, times
}

// isToken is true for one word of visible ASCII, the shape of every credential
// that is sent on its own.
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}

func hasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

func canonical(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = http.CanonicalHeaderKey(n)
	}
	return out
}
