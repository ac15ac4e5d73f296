package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// links follows what answers name, each address once: before something is removed, and when
// the row ends, so that a row that counts its requests is not disturbed.
type links struct {
	mu       sync.Mutex
	url      string
	followed map[string]bool
	waiting  []link
	rows     map[*testing.T]bool
	// users and tokens are asked where the caller finds nothing: what is another's looks missing.
	users, tokens []string
	server        *Server
}

// link is an address that an answer to a request named.
type link struct {
	from    *http.Request
	address string
}

var (
	variable = regexp.MustCompile(`\{([/?&+]?)([a-z_,*]+)\}`)
	linkNext = regexp.MustCompile(`<([^>]+)>`)
)

// values stand for the variables of address templates. A template that needs another value,
// such as the name of an object, is no address yet.
func values() map[string]string { return map[string]string{"archive_format": "tarball", "ref": ""} }

// note keeps every address of this server that an answer holds.
func (l *links) note(t *testing.T, r *http.Request, response *http.Response, body []byte) {
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
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, address := range found {
		address, whole := expand(address)
		if whole && strings.HasPrefix(address, l.url+"/") && !l.followed[address] {
			l.followed[address] = true
			l.waiting = append(l.waiting, link{from: r, address: address})
		}
	}
	if !l.rows[t] {
		l.rows[t] = true
		t.Cleanup(func() { l.follow(t) })
	}
}

// follow asks for the addresses that were noted, each with the credentials of the request
// that found it, and reports those that lead nowhere.
func (l *links) follow(t *testing.T) {
	t.Helper()
	if l == nil {
		return
	}
	l.mu.Lock()
	waiting := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	ctx := context.WithoutCancel(t.Context())
	for _, one := range waiting {
		if err := one.ask(ctx, client); err != nil && !l.isAnothers(t, client, one) {
			t.Errorf("%s %s names %s, %v", one.from.Method, one.from.URL.Path, one.address, err)
		}
	}
}

// isAnothers reports whether an address is there for a caller of the suite who may see it: by
// a token, or by a browser for the pages of a private repository.
func (l *links) isAnothers(t *testing.T, client *http.Client, one link) bool {
	t.Helper()
	l.mu.Lock()
	users, tokens := slices.Clone(l.users), slices.Clone(l.tokens)
	l.mu.Unlock()
	ctx := context.WithoutCancel(t.Context())
	for _, token := range tokens {
		with := one.from.Clone(ctx)
		with.Header.Set("Authorization", "Bearer "+token)
		if (link{with, one.address}).ask(ctx, client) == nil {
			return true
		}
	}
	return slices.ContainsFunc(users, func(name string) bool {
		return l.server.SignedIn(t, name, "").Get(t, strings.TrimPrefix(one.address, l.url)).Status == http.StatusOK
	})
}

// meet remembers a user or a token of the suite; the other is empty.
func (l *links) meet(user, token string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if user != "" {
		l.users = append(l.users, user)
	}
	if token != "" {
		l.tokens = append(l.tokens, token)
	}
}

// removes reports whether an operator's command takes something away.
func removes(command string) bool {
	last := command[strings.LastIndex(command, " ")+1:]
	return slices.Contains([]string{"delete", "remove", "revoke", "forget"}, last)
}

// addresses are the texts of a value that may be addresses. Scopes look like some and are
// names.
func addresses(value any) (out []string) {
	switch v := value.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, one := range v {
			out = append(out, addresses(one)...)
		}
	case map[string]any:
		for name, one := range v {
			if !slices.Contains([]string{"scope", "scopes", "scopes_supported"}, name) {
				out = append(out, addresses(one)...)
			}
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

// ask fails where nothing is. An address that is only posted to answers 405.
func (l link) ask(ctx context.Context, client *http.Client) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.address, http.NoBody)
	if err != nil {
		return err
	}
	for _, name := range []string{"Authorization", "Accept", "Pipeline-Token", "User-Agent"} {
		if value := l.from.Header.Get(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 300))
	if err != nil {
		return err
	}
	if s := answer.StatusCode; s == http.StatusNotFound || s == http.StatusGone || s > 499 {
		return fmt.Errorf("which answers %d %s", s, text)
	}
	return nil
}
