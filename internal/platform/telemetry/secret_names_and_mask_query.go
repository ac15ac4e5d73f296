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
		name, _, found := strings.Cut(part, "=")
		if !found || !secretParam(name) {
			out.WriteString(part)
			continue
		}
		out.WriteString(name)
		out.WriteString("=" + masked)
		if end := part[len(part)-1]; end == '&' || end == ';' {
			out.WriteByte(end)
		}
	}
	return out.String()
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
