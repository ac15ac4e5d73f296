package credential

import "strings"

// Elsewhere is the end of a sentence about a credential that is good at other services only,
// empty where these are not known.
func Elsewhere(services []string) string {
	if len(services) == 0 {
		return ""
	}
	return " here: it is for " + strings.Join(services, ", ")
}
