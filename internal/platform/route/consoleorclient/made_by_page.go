package consoleorclient

import (
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// pages is where the console's pages lie, and manual where those of the documentation do.
const (
	pages  = "/console"
	manual = "/docs"
)

// IsPage reports whether a path is that of a page of the console or of the documentation,
// or of what such a page loads: a person reads it, and no client.
func IsPage(path string) bool { return below(path, pages) || below(path, manual) }

func below(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/')
}

// MadeByPage reports whether a page of the console made the request: inside the process,
// or in the browser that shows the page, as it loads pictures. A person who follows a link
// of a page asks for something else than the page.
func MadeByPage(r *http.Request) bool {
	if credential.IsInside(r.Context()) {
		return true
	}
	from := r.Header.Get("Referer")
	if from == "" || r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		return false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	u, err := url.Parse(from)
	if err != nil {
		return false
	}
	return below(u.Path, address.Path(r.Context())+pages)
}
