package tasks

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"
)

// timeForm is RFC 3339 in UTC with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

// etag is opaque and changes with every version.
func etag(id string, version int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", id, version))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:8]) + `"`
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(timeForm)
}
