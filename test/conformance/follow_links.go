package conformance

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// links follows what answers name, each address once.
type links struct {
	mu       sync.Mutex
	followed map[string]bool
}

var (
	variable = regexp.MustCompile(`\{([/?&+]?)([a-z_,*]+)\}`)
	linkNext = regexp.MustCompile(`<([^>]+)>`)
)

// values stand for the variables of address templates. A template that needs another value,
// such as the name of an object, is no address yet.
func values() map[string]string { return map[string]string{"archive_format": "tarball", "ref": ""} }

// follow asks for every address of this server that an answer holds, with the credentials of
// its own request, and reports those that lead nowhere.
func (l *links) follow(t *testing.T, url string, r *http.Request, response *http.Response, body []byte) {
	t.Helper()
	if l == nil || response.StatusCode > 299 {
		return
	}
	var found []string
	for _, m := range linkNext.FindAllStringSubmatch(response.Header.Get("Link"), -1) {
		found = append(found, m[1])
	}
	var value any
	if json.Unmarshal(body, &value) == nil {
		found = append(found, addresses(value)...)
	}
	for _, address := range found {
		address, whole := expand(address)
		if whole && strings.HasPrefix(address, url+"/") && l.first(address) {
			leadsSomewhere(t, r, address)
		}
	}
}

func (l *links) first(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.followed[address]
	l.followed[address] = true
	return !seen
}

// addresses are the texts of a value that may be addresses.
func addresses(value any) (out []string) {
	switch v := value.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, one := range v {
			out = append(out, addresses(one)...)
		}
	case map[string]any:
		for _, one := range v {
			out = append(out, addresses(one)...)
		}
	}
	return out
}

// expand fills in a template and reports whether it needs no more; what follows a question
// mark is left out. git is asked for its refs.
func expand(address string) (out string, whole bool) {
	whole = true
	out = variable.ReplaceAllStringFunc(address, func(part string) string {
		found := variable.FindStringSubmatch(part)
		if found[1] == "?" || found[1] == "&" {
			return ""
		}
		value, known := values()[found[2]]
		whole = whole && known
		if value == "" {
			return ""
		}
		return strings.TrimPrefix(found[1], "+") + value
	})
	if strings.HasSuffix(out, ".git") {
		out += "/info/refs?service=git-upload-pack"
	}
	return out, whole
}

// leadsSomewhere fails where nothing is. An address that is only posted to answers 405.
func leadsSomewhere(t *testing.T, from *http.Request, address string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Errorf("%s names %q: %v", from.URL.Path, address, err)
		return
	}
	for _, name := range []string{"Authorization", "Accept", "Pipeline-Token", "User-Agent"} {
		if value := from.Header.Get(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Errorf("%s names %s: %v", from.URL.Path, address, err)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 300))
	if err != nil || answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone ||
		answer.StatusCode > 499 {
		t.Errorf("%s %s names %s, which answers %d %s", from.Method, from.URL.Path, address, answer.StatusCode, text)
	}
}
