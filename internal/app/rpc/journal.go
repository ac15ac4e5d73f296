package rpc

import (
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/platform/journal"
)

// record keeps a call in the journal, without its messages: they are keys, or what
// keys protect.
func (p *procedures) record(d *journal.Draft, at time.Time, took time.Duration, method string, err error) {
	service, operation, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	e := journal.Entry{
		At: at, Duration: took, Service: service, Operation: operation, Method: http.MethodPost,
		Path: method, Status: httpStatus(err),
		RequestHeader:  map[string][]string{"Content-Type": {grpcMedia}},
		ResponseHeader: map[string][]string{"Content-Type": {grpcMedia}},
	}
	if m, ok := p.owners[service]; ok {
		e.Service = m.Name
	}
	if err != nil {
		e.Reason = status.Convert(err).Message()
	}
	d.CutRequest()
	d.CutResponse()
	d.Finish(&e)
}
