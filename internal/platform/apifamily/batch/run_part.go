package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/module"
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

// run answers one part through the handler of its service.
func run(r *route.Request, p part, modules []module.Module) *answer {
	out := &answer{header: http.Header{}}
	switch {
	case p.problem != "":
		writeError(out, r, formError(p.problem))
		return out
	case p.request.URL.Path == Path || strings.HasPrefix(p.request.URL.Path, Path+"/"):
		writeError(out, r, formError("a batch cannot hold a batch"))
		return out
	}
	m := owner(modules, p.request.URL.Path)
	if m == nil {
		message := "this batch is not for " + wire.Clip(p.request.URL.Path, 100)
		fault.Write(out, r, fault.New(http.StatusNotFound, "NOT_FOUND", message))
		return out
	}
	// The part comes over the connection of the batch.
	inner := r.Request.Clone(r.Request.Context())
	inner.Method, inner.URL, inner.RequestURI = p.request.Method, p.request.URL, p.request.URL.RequestURI()
	inner.Header, inner.Body, inner.ContentLength = p.request.Header, p.request.Body, p.request.ContentLength
	inner.TransferEncoding, inner.Pattern = nil, ""
	inheritHeaders(inner, r.Request)
	m.Handler.ServeHTTP(out, inner)
	return out
}

// inheritHeaders gives a part the headers of the batch that it does not have.
func inheritHeaders(inner, outer *http.Request) {
	own := inner.Header.Get("Authorization") != "" || inner.URL.Query().Has("access_token")
	for name, values := range outer.Header {
		switch {
		case strings.HasPrefix(name, "Content-"), name == "Accept-Encoding", name == "Connection", name == "Expect",
			name == "Transfer-Encoding", name == "Te", name == "Trailer", name == "Upgrade", name == "X-Request-Id",
			name == "Authorization" && own, len(inner.Header[name]) > 0:
			continue
		}
		inner.Header[name] = values
	}
	if token := outer.URL.Query().Get("access_token"); token != "" && inner.Header.Get("Authorization") == "" && !own {
		inner.Header.Set("Authorization", "Bearer "+token)
	}
	inner.Header.Del("Accept-Encoding")
	inner.Header.Del("Content-Length") // the length is what follows
}
