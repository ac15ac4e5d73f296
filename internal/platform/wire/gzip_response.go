package wire

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// packer is a gzip writer with its buffer, reused together: a fresh writer
// costs hundreds of kilobytes.
type packer struct {
	buf  bytes.Buffer
	gzip *gzip.Writer
}

// packers holds idle packers. It is a cache of memory, not of state.
var packers = sync.Pool{New: func() any {
	p := new(packer)
	p.gzip, _ = gzip.NewWriterLevel(&p.buf, gzip.BestSpeed) // the level is known good
	return p
}}

// writeGzip compresses into a buffer, so that the length is known and a failure
// leaves nothing half sent.
func writeGzip(w http.ResponseWriter, r *http.Request, status int, b []byte) error {
	p := packers.Get().(*packer)
	defer func() {
		if p.buf.Cap() <= keptBuffer {
			packers.Put(p)
		}
	}()
	p.buf.Reset()
	p.gzip.Reset(&p.buf)
	if _, err := p.gzip.Write(b); err != nil {
		return err
	}
	if err := p.gzip.Close(); err != nil {
		return err
	}
	if p.buf.Len() >= len(b) {
		return writeWhole(w, r, status, b)
	}
	h := w.Header()
	h["Content-Encoding"] = []string{"gzip"}
	// A strong tag promises equal bytes, which no longer holds across encodings.
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		h.Set("ETag", "W/"+tag)
	}
	return writeWhole(w, r, status, p.buf.Bytes())
}

// compressible tells text from pictures and archives, which are compressed
// already.
func compressible(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case kind == "text/event-stream":
		return false // each event must leave at once
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"):
		return true
	}
	switch kind {
	case "application/json", "application/javascript", "application/xml", "application/edn", "application/yaml":
		return true
	}
	return false
}

// acceptsGzip reads Accept-Encoding (RFC 9110, section 12.5.3): gzip, x-gzip or
// a star with a weight above zero. The more specific name wins over the star.
func acceptsGzip(h http.Header) bool {
	star := false
	for _, line := range h["Accept-Encoding"] {
		for item := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				return weight(params) > 0
			case "*":
				star = weight(params) > 0
			}
		}
	}
	return star
}

// weight is the q parameter, 1 when there is none and 0 when it is no number.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, found := strings.Cut(strings.TrimSpace(p), "=")
		if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}

// addVary names one request header that the answer depends on, once.
func addVary(h http.Header, name string) {
	for _, line := range h["Vary"] {
		for item := range strings.SplitSeq(line, ",") {
			if item = strings.TrimSpace(item); item == "*" || strings.EqualFold(item, name) {
				return
			}
		}
	}
	h.Add("Vary", name)
}
