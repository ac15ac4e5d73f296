package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// part is one request of a batch.
type part struct {
	id      string
	request *http.Request
	// problem is why it is no request.
	problem string
}

// readParts reads the parts of a batch.
func readParts(r *route.Request, most int) ([]part, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/mixed" || params["boundary"] == "" {
		return nil, formError("a batch is multipart/mixed with a boundary")
	}
	var parts []part
	in := multipart.NewReader(r.Body, params["boundary"])
	for {
		next, err := in.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, unreadable(err)
		}
		if len(parts) == most {
			return nil, formError(fmt.Sprintf("the batch has too many requests; %d are the most", most))
		}
		p, err := readPart(next)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return nil, formError("the batch has no requests")
	}
	return parts, nil
}

// readPart reads one part, which may be no request.
func readPart(in *multipart.Part) (part, error) {
	p := part{id: in.Header.Get("Content-Id")}
	text, err := io.ReadAll(io.LimitReader(in, maxPart+1))
	switch {
	case err != nil:
		return p, unreadable(err)
	case len(text) > maxPart:
		p.problem = fmt.Sprintf("a request of a batch has %d bytes at most", maxPart)
		return p, nil
	}
	media, _, _ := strings.Cut(in.Header.Get("Content-Type"), ";")
	if media = strings.TrimSpace(strings.ToLower(media)); media != "" && media != "application/http" {
		p.problem = "a part of a batch is application/http"
		return p, nil
	}
	p.request, p.problem = parseRequest(text)
	return p, nil
}

// parseRequest reads a request whose first line may lack the version, and whose body is
// all that follows the headers.
func parseRequest(text []byte) (*http.Request, string) {
	reader := textproto.NewReader(bufio.NewReader(bytes.NewReader(bytes.TrimLeft(text, "\r\n"))))
	line, err := reader.ReadLine()
	if err != nil {
		return nil, "a part of a batch begins with METHOD path"
	}
	method, rest, _ := strings.Cut(line, " ")
	target, version, _ := strings.Cut(rest, " ")
	if version != "" && !strings.HasPrefix(version, "HTTP/1.") {
		return nil, "the first line of a request is METHOD path HTTP/1.1"
	}
	address, err := url.Parse(target)
	if err != nil || !strings.HasPrefix(address.Path, "/") || address.User != nil || address.Opaque != "" {
		return nil, "the address of a request is a path or a URL"
	}
	header, err := reader.ReadMIMEHeader()
	if err != nil && len(header) == 0 && !errors.Is(err, io.EOF) {
		return nil, "the headers of a request cannot be read"
	}
	body, err := io.ReadAll(reader.R)
	if err != nil {
		return nil, "the body of a request cannot be read"
	}
	//nolint:noctx // it gets that of the batch
	request, err := http.NewRequest(method, address.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, "the method or the address of a request cannot be read"
	}
	request.Header = http.Header(header)
	if request.Header == nil {
		request.Header = http.Header{}
	}
	return request, ""
}

// unreadable keeps errors of the connection and of the size, and blames the rest on the form.
func unreadable(err error) error {
	if errors.Is(err, wire.ErrTooLarge) || errors.As(err, new(*wire.SizeError)) {
		return err
	}
	return formError("the batch ends in the middle, or its parts cannot be told apart")
}
