package batch

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// answer keeps the answer to one part.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header are the headers of the answer.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader notes the first final status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}

// Write keeps a part of the body.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// writeAnswer writes the part that answers a part.
func writeAnswer(out *multipart.Writer, id string, a *answer) error {
	header := textproto.MIMEHeader{"Content-Type": {"application/http"}}
	if id != "" {
		header.Set("Content-ID", responseID(id))
	}
	w, err := out.CreatePart(header)
	if err != nil {
		return err
	}
	a.WriteHeader(http.StatusOK)
	a.header.Set("Content-Length", strconv.Itoa(a.body.Len()))
	if _, err := fmt.Fprintf(w, "HTTP/1.1 %d %s\r\n", a.status, http.StatusText(a.status)); err != nil {
		return err
	}
	if err := a.header.Write(w); err != nil {
		return err
	}
	if _, err := w.Write([]byte("\r\n")); err != nil {
		return err
	}
	_, err = w.Write(a.body.Bytes())
	return err
}

// responseID names the request that an answer answers.
func responseID(id string) string {
	if rest, ok := strings.CutPrefix(id, "<"); ok {
		return "<response-" + rest
	}
	return "response-" + id
}
