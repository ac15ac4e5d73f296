package jobs

import (
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// never is later than every due time.
func never() time.Time { return time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC) }

// orNever turns "there is none" into never.
func orNever(t time.Time, err error) (time.Time, error) {
	if errors.Is(err, database.ErrNotFound) {
		return never(), nil
	}
	return t, err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
