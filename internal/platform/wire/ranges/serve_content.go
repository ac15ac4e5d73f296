package ranges

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// maxRanges is how many pieces one request may ask for. Readers of media and resumed downloads ask for one, readers of
// archives for a few.
const maxRanges = 16

// Serve is http.ServeContent for content that is read from a store: who asks for more than 16 pieces gets all of
// it, as RFC 9110, section 14.2, allows. Each piece is a part with a header of its own, and a question to the store: a
// request of 60 kB could ask for 20,000.
func Serve(w http.ResponseWriter, r *http.Request, name string, modified time.Time, content io.ReadSeeker) {
	pieces := 0
	for _, line := range r.Header["Range"] {
		pieces += 1 + strings.Count(line, ",")
	}
	if pieces > maxRanges {
		whole := *r
		whole.Header = r.Header.Clone()
		whole.Header.Del("Range")
		r = &whole
	}
	http.ServeContent(w, r, name, modified, content)
}
