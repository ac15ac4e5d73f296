package database

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// checkArgs refuses parameters that the engines would treat differently, so
// that a mistake shows on either of them.
func checkArgs(args []any) error {
	for i, arg := range args {
		switch v := arg.(type) {
		case nil, int, int64, bool, []byte, timeValue:
			// The common ones, which need no look.
		case string:
			if reason := refuseText(v); reason != "" {
				return argError(i, reason)
			}
		case time.Time:
			return argError(i, "bare time.Time; wrap it in database.Time or NullTime")
		default:
			// A type of the caller's own, such as a state, is text too.
			if r := reflect.ValueOf(arg); r.Kind() == reflect.String {
				if reason := refuseText(r.String()); reason != "" {
					return argError(i, reason)
				}
			}
		}
	}
	return nil
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

// argError never shows the value: it may be a secret.
func argError(i int, reason string) error {
	return &Error{Kind: ErrInvalid, cause: fmt.Errorf("parameter $%d: %s", i+1, reason)}
}
