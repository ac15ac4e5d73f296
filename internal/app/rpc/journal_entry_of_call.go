package rpc

import (
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/platform/journal"
)

// call is a procedure that has run.
type call struct {
	at      time.Time
	took    time.Duration
	method  string
	in, out any
}

// record keeps a call in the journal, without its messages: they are keys, or what
// keys protect. The id of a key is no secret and is kept like a header.
func (p *procedures) record(d *journal.Draft, c call, err error) {
	service, operation, _ := strings.Cut(strings.TrimPrefix(c.method, "/"), "/")
	e := journal.Entry{
		At: c.at, Duration: c.took - d.Delay().Machine, Service: service, Operation: operation, Method: http.MethodPost,
		Path: c.method, Status: httpStatus(err), RequestHeader: headers(c.in), ResponseHeader: headers(c.out),
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

// headers are what is kept of a message.
func headers(message any) map[string][]string {
	h := map[string][]string{"Content-Type": {grpcMedia}}
	if m, ok := message.(interface{ GetKeyId() string }); ok && m.GetKeyId() != "" {
		h["Key-Id"] = []string{m.GetKeyId()}
	}
	return h
}
