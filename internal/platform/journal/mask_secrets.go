package journal

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"stoa.dev/stoa/internal/platform/telemetry"
)

// masked stands where a secret was, as in the log.
const masked = "***"

// maxUnpacked bounds what a packed body is shown as.
const maxUnpacked = 1 << 20

// maskHeader masks the values of headers that are named like a secret, and the
// parameters of addresses in the others. It changes h.
func maskHeader(h map[string][]string) map[string][]string {
	for name, values := range h {
		for i, value := range values {
			switch {
			case telemetry.SecretName(name):
				values[i] = masked
			case strings.Contains(value, "?"):
				before, after, _ := strings.Cut(value, "?")
				values[i] = before + "?" + telemetry.MaskQuery(after)
			}
		}
	}
	return h
}

// masked is a body as it is shown.
func (r *Record) masked(body string, h map[string][]string) string {
	body = unpack(body, h)
	if body == "" {
		return ""
	}
	if first(h, "Content-Type", "application/x-www-form-urlencoded") {
		body = telemetry.MaskQuery(body)
	} else {
		body = maskMembers(body)
	}
	for _, secret := range r.secrets() {
		body = strings.ReplaceAll(body, secret, masked)
	}
	return body
}

// secrets are the credentials that came with the request: an answer may repeat them
// in words that no rule finds.
func (r *Record) secrets() []string {
	var found []string
	add := func(text string) {
		const short = 8 // would be found where it is none
		if len(text) >= short {
			found = append(found, text)
		}
	}
	for name, values := range r.header(requestHeader) {
		if !telemetry.SecretName(name) {
			continue
		}
		for _, value := range values {
			if _, credential, ok := strings.Cut(value, " "); ok {
				add(strings.TrimSpace(credential))
			} else {
				add(value)
			}
		}
	}
	for pair := range strings.SplitSeq(r.part(query), "&") {
		if name, value, _ := strings.Cut(pair, "="); telemetry.SecretName(name) {
			add(value)
		}
	}
	return found
}

func first(h map[string][]string, name, prefix string) bool {
	values := h[name]
	return len(values) > 0 && strings.HasPrefix(values[0], prefix)
}

// unpack is a body without its gzip; as far as it goes where it was cut.
func unpack(body string, h map[string][]string) string {
	if body == "" || !first(h, "Content-Encoding", "gzip") {
		return body
	}
	reader, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		return body
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxUnpacked))
	if err != nil && len(text) == 0 {
		return body
	}
	return string(text)
}

// maskMembers masks the values of members that are named like a secret in anything
// that is written like JSON or EDN, lines of JSON and events of a stream included.
// It reads no syntax but names and strings, so that a text that was cut is masked
// as well.
func maskMembers(text string) string {
	if !strings.Contains(text, `"`) {
		return text
	}
	var out strings.Builder
	begin := 0 // of what is not written yet
	hide := func(from, to int) {
		out.WriteString(text[begin:from])
		out.WriteString(masked)
		begin = to
	}
	secret := false // the last name says so
	code := false   // the last name is code
	list := false   // the secret is a list
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			last, end := stringEnd(text, i)
			value := text[i+1 : last]
			if name, after := isName(text, end); name {
				secret, code, list = telemetry.SecretName(value) && value != "code", value == "code", false
				i = after
				continue
			}
			if secret && value != "" || code && looksDrawn(value) {
				hide(i+1, last)
			}
			secret, code = secret && list, false
			i = end
		case c == ':' && i+1 < len(text) && isLetter(text[i+1]):
			end := i + 1
			for end < len(text) && (isLetter(text[end]) || text[end] == '-' || text[end] == '_') {
				end++
			}
			secret, code, list = telemetry.SecretName(text[i+1:end]) && text[i+1:end] != "code", false, false
			i = end
		case c == '[':
			list = secret
			i++
		case c == '{' || c == ']' || c == '}':
			secret, code, list = false, false, false
			i++
		default:
			i++
		}
	}
	if begin == 0 {
		return text
	}
	out.WriteString(text[begin:])
	return out.String()
}

// stringEnd is where a string's value ends, and the offset after the closing quote;
// both are the end of a text that was cut.
func stringEnd(text string, begin int) (last, after int) {
	for i := begin + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i, i + 1
		}
	}
	return len(text), len(text)
}

// isName reports whether a colon follows a string, and where it ends.
func isName(text string, end int) (bool, int) {
	for i := end; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
		case ':':
			return true, i + 1
		default:
			return false, end
		}
	}
	return false, end
}

func isLetter(c byte) bool { return (c|0x20) >= 'a' && (c|0x20) <= 'z' }

// looksDrawn tells an authorization code from the word of an error: long, without
// spaces, and with a digit.
func looksDrawn(value string) bool {
	return len(value) >= 16 && !strings.Contains(value, " ") && strings.ContainsAny(value, "0123456789")
}
