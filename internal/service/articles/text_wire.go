package articles

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// appendText writes a JSON string. Runs of plain characters are copied whole.
func appendText(out []byte, s string) []byte {
	const digits = "0123456789abcdef"
	out = append(out, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			out = append(append(out, s[start:i]...), `\ufffd`...)
			i++
			start = i
			continue
		}
		out = append(out, s[start:i]...)
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		start = i
	}
	return append(append(out, s[start:]...), '"')
}

// appendMember writes `"name":`, after a comma unless it is the first.
func appendMember(out []byte, name string) []byte {
	if last := out[len(out)-1]; last != '{' {
		out = append(out, ',')
	}
	return append(append(append(out, '"'), name...), '"', ':')
}

func appendTextMember(out []byte, name, value string) []byte {
	return appendText(appendMember(out, name), value)
}

func appendBoolMember(out []byte, name string, value bool) []byte {
	return strconv.AppendBool(appendMember(out, name), value)
}

func appendIntMember(out []byte, name string, value int64) []byte {
	return strconv.AppendInt(appendMember(out, name), value, 10)
}

func appendNullMember(out []byte, name string) []byte {
	return append(appendMember(out, name), "null"...)
}

func appendTimeMember(out []byte, name string, t time.Time) []byte {
	out = append(appendMember(out, name), '"')
	return append(t.UTC().AppendFormat(out, time.RFC3339), '"')
}

// stamp is a time as the contract writes it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
