package batch

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

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

// owner finds the module that a path belongs to.
func owner(modules []module.Module, path string) *module.Module {
	for i, m := range modules {
		for _, prefix := range m.Prefixes {
			if path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/") {
				return &modules[i]
			}
		}
	}
	return nil
}
