package database

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// checkArgs refuses parameters that the engines would treat differently, so
// that a mistake shows on either of them.
func checkArgs(args []any) error {
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			// PostgreSQL stores neither; SQLite would store both.
			if !utf8.ValidString(v) {
				return argError(i, "text is not valid UTF-8")
			}
			if strings.IndexByte(v, 0) >= 0 {
				return argError(i, "text contains a NUL character")
			}
		case time.Time:
			return argError(i, "bare time.Time; wrap it in database.Time or NullTime")
		}
	}
	return nil
}

// argError never shows the value: it may be a secret.
func argError(i int, reason string) error {
	return &Error{Kind: ErrInvalid, cause: fmt.Errorf("parameter $%d: %s", i+1, reason)}
}

func describe(v any) string { return fmt.Sprint(v) }
