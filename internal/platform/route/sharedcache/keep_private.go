package sharedcache

import (
	"net/http"
	"strings"
)

const (
	name    = "Cache-Control"
	private = "private"
	public  = "public"
)

// KeepPrivate adds private to what an answer says of caches, unless it says public, private or no-store. For a caller
// who is known public does not hold.
func KeepPrivate(h http.Header, known bool) {
	lines := h[name]
	if len(lines) == 0 {
		h[name] = []string{private}
		return
	}
	said := directives(lines)
	if said.kept || said.public && !known {
		return
	}
	all := strings.Join(lines, ", ")
	if said.public {
		all = withoutPublic(all)
	}
	h[name] = []string{strings.TrimSuffix(private+", "+all, ", ")}
}

// saying is what matters here of a Cache-Control.
type saying struct {
	kept   bool // no shared cache stores it
	public bool
}

func directives(lines []string) (said saying) {
	for _, line := range lines {
		for directive := range strings.SplitSeq(line, ",") {
			switch strings.ToLower(strings.Trim(directive, " \t")) {
			// private="Name" is about one header and leaves the rest to all.
			case private, "no-store":
				said.kept = true
			case public:
				said.public = true
			}
		}
	}
	return said
}

func withoutPublic(line string) string {
	var kept []string
	for directive := range strings.SplitSeq(line, ",") {
		if directive = strings.Trim(directive, " \t"); !strings.EqualFold(directive, public) {
			kept = append(kept, directive)
		}
	}
	return strings.Join(kept, ", ")
}
