package requestpages

import (
	"encoding/base64"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
)

// hidden stands in a record where a secret was.
const hidden = "***"

// exampleHeader is a credential of a service's example: the header and its value.
var exampleHeader = regexp.MustCompile(`-H "([A-Za-z-]+): ([^"]*\$STOA_[A-Z_]+)"`)

// curl is the request as a command for the shell, to the world at base. Credentials are the variables that the
// service's example names, as stoa env prints them; other masked values have to be
// filled in.
func (p *Pages) curl(record *journal.Record, base string) string {
	h, sent, example := record.RequestHeader(), sentHeader(record), p.o.Examples[record.Service]
	line := "curl"
	if record.Method != http.MethodGet {
		line += " -X " + word(record.Method)
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		switch name {
		case "Accept-Encoding", "Connection", "Content-Length", "User-Agent":
			continue
		}
		for i, value := range h[name] {
			if value != hidden || name == "Cookie" || i >= len(sent[name]) || word(name) != name {
				line += " -H " + quote(name+": "+value)
				continue
			}
			line += credential(example, name, sent[name][i])
		}
	}
	if body := record.RequestBody(); body != "" && utf8.ValidString(body) {
		line += " --data-raw " + quote(body)
	}
	target := base + record.Path()
	if q := record.Query(); q != "" {
		target += "?" + q
	}
	target = strings.ReplaceAll(quote(target), "="+hidden, `='"$`+variable(example)+`"'`)
	return line + " " + strings.TrimSuffix(target, "''")
}

// sentHeader is the header as it came. Nothing of it is shown but the scheme of a
// credential.
func sentHeader(record *journal.Record) map[string][]string {
	sent, _ := record.Sent() // its header is whole where the body is not
	return sent.Header
}

// variable names what the examples of a service keep a credential in.
func variable(e module.Example) string {
	if e.Credential == "" {
		return "STOA_TOKEN"
	}
	return e.Credential
}

// credential is the option of curl for a header that was masked.
func credential(e module.Example, name, sent string) string {
	scheme, secret, _ := strings.Cut(sent, " ")
	if strings.EqualFold(scheme, "Basic") {
		plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(secret))
		if _, password, _ := strings.Cut(string(plain), ":"); err == nil && password == "" {
			return ` -u "$` + variable(e) + `:"`
		}
		return ` -u "$STOA_USER:$STOA_PASSWORD"`
	}
	for _, found := range exampleHeader.FindAllStringSubmatch(e.Shell, -1) {
		if strings.EqualFold(found[1], name) {
			return ` -H "` + name + ": " + found[2] + `"`
		}
	}
	value := "$" + variable(e)
	if name == "Authorization" {
		value = "Bearer " + value
	}
	return ` -H "` + name + ": " + value + `"`
}

// word is a text that a caller chose, as it stands in a command. Methods and names of headers
// may hold what a shell runs: a backtick, a dollar sign, a bar.
func word(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return quote(text)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
