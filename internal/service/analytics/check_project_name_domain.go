package analytics

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	maxProjectName = 255
	// forbiddenInName are the characters that the contract's reference forbids.
	forbiddenInName = "~`!#%'^&*=[]\\/|\":<>?{}"
)

func checkProjectName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errInvalidField("project_name", "is required")
	case utf8.RuneCountInString(name) > maxProjectName:
		return errInvalidField("project_name", "must have at most 255 characters")
	case strings.ContainsAny(name, forbiddenInName), strings.ContainsFunc(name, unicode.IsControl):
		return errInvalidField("project_name", "must not contain control characters or any of %s", forbiddenInName)
	}
	return nil
}

// maxUnicodeDomain is how many bytes the longest domain, of 253 ASCII letters, may have before it is taken to
// them: the time to encode a label grows with the square of its length.
const maxUnicodeDomain = 4 * 253

// parseDomain takes a domain, or an address that has one, to its ASCII form.
func parseDomain(address string) (string, error) {
	host := strings.TrimSpace(address)
	if host == "" {
		return "", errInvalidField("url", "is required")
	}
	if strings.Contains(host, "://") {
		u, err := url.Parse(host)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return "", errInvalidField("url", "must be a domain such as example.com")
		}
		host = u.Hostname()
	}
	host = strings.TrimSuffix(host, "/")
	if len(host) > maxUnicodeDomain {
		return "", errInvalidField("url", "must be a domain such as example.com")
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil || !strings.Contains(ascii, ".") || len(ascii) > 253 || strings.HasSuffix(ascii, ".") {
		return "", errInvalidField("url", "must be a domain such as example.com")
	}
	return ascii, nil
}
