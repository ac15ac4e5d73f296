package wire

import (
	"strconv"
	"strings"
)

// Lookup finds the value that a JSON pointer (RFC 6901) names in a decoded JSON
// value.
func Lookup(value any, pointer string) (any, bool) {
	if pointer == "" {
		return value, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	for name := range strings.SplitSeq(pointer[1:], "/") {
		if strings.Contains(name, "~") {
			name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		}
		switch v := value.(type) {
		case map[string]any:
			member, ok := v[name]
			if !ok {
				return nil, false
			}
			value = member
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}
