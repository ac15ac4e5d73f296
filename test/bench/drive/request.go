package drive

import (
	"fmt"
	"strings"
)

// Request writes a request as bytes, ready to be sent again and again.
func Request(method, path, host, bearer, body string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host)
	if bearer != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", bearer)
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return []byte(b.String())
}
