package telemetry

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
)

// masked stands wherever a secret would have been.
const masked = "***"

// redactor is a slog.Handler that masks attributes by their name before the
// next handler formats them.
type redactor struct {
	next slog.Handler
}

// Enabled asks the next handler.
func (h redactor) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// WithAttrs masks the attributes once, when the logger is built.
func (h redactor) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i], _ = redact(a)
	}
	return redactor{next: h.next.WithAttrs(clean)}
}

// WithGroup opens a group in the next handler. A group's own name does not make
// its members secret.
func (h redactor) WithGroup(name string) slog.Handler {
	return redactor{next: h.next.WithGroup(name)}
}

// Handle copies the record only if something in it has to be masked.
func (h redactor) Handle(ctx context.Context, r slog.Record) error {
	dirty := false
	r.Attrs(func(a slog.Attr) bool {
		_, changed := redact(a)
		dirty = changed
		return !changed
	})
	if !dirty {
		return h.next.Handle(ctx, r)
	}
	clean := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		a, _ = redact(a)
		clean.AddAttrs(a)
		return true
	})
	return h.next.Handle(ctx, clean)
}

// redact masks a if its name tells of a secret, and looks into groups.
func redact(a slog.Attr) (_ slog.Attr, changed bool) {
	if secretName(a.Key) {
		return slog.String(a.Key, masked), true
	}
	v := a.Value
	if v.Kind() == slog.KindLogValuer {
		v = v.Resolve()
	}
	if v.Kind() != slog.KindGroup {
		return a, false
	}
	members := v.Group()
	clean := make([]slog.Attr, len(members))
	for i, m := range members {
		var c bool
		clean[i], c = redact(m)
		changed = changed || c
	}
	if !changed {
		return a, false
	}
	return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}, true
}

// SecretName reports whether a name says that its value is a secret.
func SecretName(name string) bool { return secretName(name) }

// secretName judges an attribute by its name. Compound names count by their
// words ("client_secret", "apiKey", "Set-Cookie"), so that "monkey", "encode"
// and "status_code" stay readable.
func secretName(name string) bool {
	var word [16]byte
	n, last := 0, ""
	flush := func() bool {
		w := string(word[:n]) // does not escape: no allocation
		n = 0
		if w == "" {
			return false
		}
		if w == "code" {
			// An authorization code is a secret, a status or error code is not.
			return last == "" || last == "user" || last == "device" || last == "auth" || last == "authorization"
		}
		last = wordSeen(w)
		return secretWord(w)
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		upper := c >= 'A' && c <= 'Z'
		startsWord := upper && i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z'
		if c == '_' || c == '-' || c == '.' || c == ' ' || startsWord {
			if flush() {
				return true
			}
			if !startsWord {
				continue
			}
		}
		if upper {
			c += 'a' - 'A'
		}
		if n < len(word) {
			word[n] = c
			n++
		}
	}
	return flush()
}

func secretWord(w string) bool {
	switch w {
	case "authorization", "token", "tokens", "secret", "secrets", "password", "passwd", "passphrase",
		"key", "apikey", "cookie", "cookies", "credential", "credentials", "bearer", "otp":
		return true
	}
	return false
}

// wordSeen keeps the few words that matter to the word after them.
func wordSeen(w string) string {
	switch w {
	case "user", "device", "auth", "authorization":
		return w
	}
	return "other"
}

// MaskQuery is a raw query, or a form, with the values of parameters that carry secrets
// masked and everything else as it was sent.
func MaskQuery(raw string) string {
	if raw == "" || !strings.Contains(raw, "=") {
		return raw
	}
	var out strings.Builder
	for rest := raw; rest != ""; {
		part := rest
		if i := strings.IndexAny(rest, "&;"); i >= 0 {
			part = rest[:i+1]
		}
		rest = rest[len(part):]
		name, _, found := strings.Cut(part, "=")
		if !found || !secretParam(name) {
			out.WriteString(part)
			continue
		}
		out.WriteString(name)
		out.WriteString("=" + masked)
		if end := part[len(part)-1]; end == '&' || end == ';' {
			out.WriteByte(end)
		}
	}
	return out.String()
}

// secretParam judges a query parameter; unlike attributes, "code" alone is the
// name under which OAuth sends codes, and the id of an upload is all that its owner
// shows to continue it.
func secretParam(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	return secretName(name) || strings.EqualFold(name, "state") || strings.EqualFold(name, "upload_id")
}
