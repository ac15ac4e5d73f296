package dialect

import "bytes"

// Out rewrites the member names of an encoded JSON value to the spelling answered. It gives text back unchanged, and
// allocates nothing, when there is nothing to rename.
func (m Members) Out(text []byte) []byte { return rename(text, m.toBrand) }

// In rewrites the member names of a request's JSON value to the neutral spelling. Text that is not JSON comes back
// as it is, or with a name changed, and stays wrong for the decoder that reads it next.
func (m Members) In(text []byte) []byte { return rename(text, m.toNeutral) }

// rename walks over strings only: inside one it skips escapes, and a string followed by a colon is a member name.
// Names with escapes are left alone; no word of the table needs one, and no encoder writes one for it.
func rename(text []byte, names map[string]string) []byte {
	if len(names) == 0 {
		return text
	}
	var out []byte
	copied := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := stringEnd(text, i+1)
		if end < 0 {
			break
		}
		if next, ok := names[string(text[i+1:end])]; ok && isName(text[end+1:]) {
			out = append(out, text[copied:i+1]...)
			out = append(out, next...)
			copied = end
		}
		i = end
	}
	if copied == 0 {
		return text
	}
	return append(out, text[copied:]...)
}

// stringEnd is the index of the quote that closes the string whose content starts at i, or -1.
func stringEnd(text []byte, i int) int {
	for i < len(text) {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
		i++
	}
	return -1
}

func isName(after []byte) bool {
	after = bytes.TrimLeft(after, " \t\r\n")
	return len(after) > 0 && after[0] == ':'
}
