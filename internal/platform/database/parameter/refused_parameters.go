package parameter

import (
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// Refused finds the first parameter that the engines would treat differently, and
// says why, without its value: it may be a secret. The reason is empty when there is
// none.
func Refused(args []any) (at int, reason string) {
	for i, arg := range args {
		switch v := arg.(type) {
		case nil, int, int64, bool, []byte:
			// The common ones, which need no look.
		case string:
			reason = refuseText(v)
		case time.Time:
			reason = "bare time.Time; wrap it in database.Time or NullTime"
		default:
			// A type of the caller's own, such as a state, is text too.
			if r := reflect.ValueOf(arg); r.Kind() == reflect.String {
				reason = refuseText(r.String())
			}
		}
		if reason != "" {
			return i, reason
		}
	}
	return 0, ""
}

// refuseText says why text cannot be stored: PostgreSQL takes neither, SQLite
// would take both.
func refuseText(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "text is not valid UTF-8"
	case strings.IndexByte(s, 0) >= 0:
		return "text contains a NUL character"
	}
	return ""
}
