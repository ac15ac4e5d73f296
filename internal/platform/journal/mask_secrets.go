package journal

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"stoa.dev/stoa/internal/platform/journal/secretmembers"
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
		body = secretmembers.Mask(body, masked, secretmembers.Under(r.part(path))...)
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

// Query is the query with secrets masked.
func (r *Record) Query() string { return telemetry.MaskQuery(r.part(query)) }

// RequestHeader is the request's header with secrets masked.
func (r *Record) RequestHeader() map[string][]string { return maskHeader(r.header(requestHeader)) }

// ResponseHeader is the answer's header with secrets masked.
func (r *Record) ResponseHeader() map[string][]string { return maskHeader(r.header(responseHeader)) }

// RequestBody is the request's body, unpacked and with secrets masked.
func (r *Record) RequestBody() string {
	return r.masked(r.part(requestBody), r.header(requestHeader))
}

// ResponseBody is the answer's body, unpacked and with secrets masked.
func (r *Record) ResponseBody() string {
	return r.masked(r.answer, r.header(responseHeader))
}
