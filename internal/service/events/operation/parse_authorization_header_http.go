package operation

import (
	"encoding/base64"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/route/credential"
)

// ExtractCredential reads a token after "Bearer" or "token", and Basic with a client's
// id and secret or with a token as the password.
func ExtractCredential(r *http.Request) (credential.Credential, bool) {
	lines := r.Header["Authorization"]
	if len(lines) == 0 {
		return credential.Credential{}, false
	}
	scheme, rest, _ := strings.Cut(lines[0], " ")
	rest = strings.TrimSpace(rest)
	malformed := credential.Credential{Style: "bearer", Malformed: true}
	if len(lines) > 1 || rest == "" {
		return malformed, true
	}
	switch strings.ToLower(scheme) {
	case "bearer", "token":
		if strings.ContainsAny(rest, " \t") {
			return malformed, true
		}
		return credential.Credential{Style: "bearer", Value: rest}, true
	case "basic":
		raw, err := base64.StdEncoding.DecodeString(rest)
		user, password, ok := strings.Cut(string(raw), ":")
		if err != nil || !ok {
			return malformed, true
		}
		return credential.Credential{Style: "basic", Value: user, Second: password}, true
	}
	return malformed, true
}
