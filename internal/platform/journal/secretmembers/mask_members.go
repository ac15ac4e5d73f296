package secretmembers

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/telemetry"
)

// Mask puts a text where the values of members are that are named like a secret, in
// anything that is written like JSON or EDN, lines of JSON and events of a stream included.
// It reads no syntax but names and strings, so that a text that was cut is masked
// as well. More are names of members that are secrets here.
func Mask(text, masked string, more ...string) string {
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
				secret = telemetry.SecretName(value) && value != "code" || slices.Contains(more, value)
				code, list = value == "code", false
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
			name := text[i+1 : end]
			secret = telemetry.SecretName(name) && name != "code" || slices.Contains(more, name)
			code, list = false, false
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

// Under are the members of bodies at a path that are secrets, though their names do not say so:
// the value of a variable that jobs get.
func Under(path string) []string {
	if strings.Contains(path, "/envvar") {
		return []string{"value"}
	}
	return nil
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

// isName reports whether a colon follows a string, and where it ends. One that begins
// the next keyword of EDN is none.
func isName(text string, end int) (bool, int) {
	for i := end; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
		case ':':
			return i == end || !isKeyword(text[i+1:]), i + 1
		default:
			return false, end
		}
	}
	return false, end
}

// isKeyword reports whether a text that follows a colon names something, where JSON
// would have a value.
func isKeyword(text string) bool {
	if text == "" || !isLetter(text[0]) {
		return false
	}
	return !slices.ContainsFunc([]string{"true", "false", "null"}, func(value string) bool {
		return strings.HasPrefix(text, value)
	})
}

func isLetter(c byte) bool { return (c|0x20) >= 'a' && (c|0x20) <= 'z' }

// looksDrawn tells an authorization code from the word of an error: long, without
// spaces, and with a digit.
func looksDrawn(value string) bool {
	return len(value) >= 16 && !strings.Contains(value, " ") && strings.ContainsAny(value, "0123456789")
}
