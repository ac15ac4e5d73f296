package definition

import (
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Substitute writes the queries of a formula in place of their names. It stops
// where the result is longer than a query may be.
func Substitute(where, formula string, names map[string]string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(formula); {
		if out.Len() > query.MaxLength {
			return "", errInvalid("%s: a formula is longer than %d bytes when its queries are written out", where,
				query.MaxLength)
		}
		j := i
		for j < len(formula) && isNameByte(formula[j]) {
			j++
		}
		if j == i {
			out.WriteByte(formula[i])
			i++
			continue
		}
		word := formula[i:j]
		if q, ok := names[word]; ok && word != "" {
			out.WriteString("(" + q + ")")
		} else {
			out.WriteString(word)
		}
		i = j
	}
	return out.String(), nil
}

func isNameByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}
