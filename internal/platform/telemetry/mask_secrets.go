package telemetry

import (
	"net/url"
	"strings"
)

// SecretName reports whether a name says that its value is a secret.
func SecretName(name string) bool { return secretName(name) }

// secretName judges an attribute by its name. Compound names count by their
// words ("client_secret", "apiKey", "Set-Cookie"), so that "monkey", "encode"
// and "status_code" stay readable.
func secretName(name string) bool {
	var word [16]byte
	n, last := 0, ""
	flush := func() bool {
		w := string(word[:n]) // does not escape: no allocation
		n = 0
		if w == "" {
			return false
		}
		if w == "code" {
			// An authorization code is a secret, a status or error code is not.
			return last == "" || last == "user" || last == "device" || last == "auth" || last == "authorization"
		}
		last = wordSeen(w)
		return secretWord(w)
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		upper := c >= 'A' && c <= 'Z'
		startsWord := upper && i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z'
		if c == '_' || c == '-' || c == '.' || c == ' ' || startsWord {
			if flush() {
				return true
			}
			if !startsWord {
				continue
			}
		}
		if upper {
			c += 'a' - 'A'
		}
		if n < len(word) {
			word[n] = c
			n++
		}
	}
	return flush()
}

func secretWord(w string) bool {
	switch w {
	case "authorization", "token", "tokens", "secret", "secrets", "password", "passwd", "passphrase",
		"key", "apikey", "cookie", "cookies", "credential", "credentials", "bearer", "otp":
		return true
	}
	return false
}

// wordSeen keeps the few words that matter to the word after them.
func wordSeen(w string) string {
	switch w {
	case "user", "device", "auth", "authorization":
		return w
	}
	return "other"
}

// MaskQuery is a raw query, or a form, with the values of parameters that carry secrets
// masked and everything else as it was sent.
func MaskQuery(raw string) string {
	if raw == "" || !strings.Contains(raw, "=") {
		return raw
	}
	var out strings.Builder
	for rest := raw; rest != ""; {
		part := rest
		if i := strings.IndexAny(rest, "&;"); i >= 0 {
			part = rest[:i+1]
		}
		rest = rest[len(part):]
		name, value, found := strings.Cut(part, "=")
		if !found {
			out.WriteString(part)
			continue
		}
		plain := strings.TrimRight(value, "&;")
		out.WriteString(name + "=")
		if secretParam(name) {
			out.WriteString(masked)
		} else {
			out.WriteString(maskAddress(plain))
		}
		out.WriteString(value[len(plain):])
	}
	return out.String()
}

// maskAddress masks the query of an address that is the value of a parameter, such as where a
// sign-in leads.
func maskAddress(value string) string {
	plain, err := url.QueryUnescape(value)
	before, query, found := strings.Cut(plain, "?")
	if err != nil || !found {
		return value
	}
	if shown := MaskQuery(query); shown != query {
		return url.QueryEscape(before + "?" + shown)
	}
	return value
}

// secretParam judges a query parameter; unlike attributes, "code" alone is the
// name under which OAuth sends codes, the id of an upload is all that its owner
// shows to continue it, and a signature or an assertion stands for a credential.
func secretParam(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	switch strings.ToLower(name) {
	case "state", "upload_id", "signature", "sig", "assertion", "client_assertion", "jwt", "auth":
		return true
	}
	return secretName(name)
}
