package lab

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/lab/inbox"
	"stoa.dev/stoa/internal/platform/route/address"
)

// ServeHTTP answers a request at the world's own port, which wakes it.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.serve(rw, r, "", w.server.URL())
}

// ServePrefix answers a request that came by the lab's port, with the prefix before
// every path of the world.
func (w *World) ServePrefix(rw http.ResponseWriter, r *http.Request, prefix string) {
	w.serve(rw, r, prefix, w.lab.options.URL())
}

func (w *World) serve(rw http.ResponseWriter, r *http.Request, prefix, listener string) {
	below, ok := cutPrefix(r.URL, prefix)
	if !ok {
		http.NotFound(rw, r)
		return
	}
	if !w.lab.OwnHost(r.Host) && !w.lab.serviceHost(r.Host) {
		// A page of another site that had its name point here: the credentials of a
		// demo may be known to it.
		http.Error(rw, "the lab does not have this name; start it with --host to give it one",
			http.StatusMisdirectedRequest)
		return
	}
	if strings.HasPrefix(below.Path, inbox.Prefix) {
		// Not as a request in flight: the world itself may wait for the answer.
		r = r.WithContext(r.Context())
		r.URL = below
		w.inbox.Receive(rw, r)
		return
	}
	a, requestCtx, err := w.enter(r.Context())
	if err != nil {
		status := http.StatusServiceUnavailable
		if errors.Is(err, errWorldDeleted) {
			status = http.StatusNotFound
		}
		http.Error(rw, "world "+w.Name()+": "+err.Error(), status)
		return
	}
	defer w.leave()
	ctx, cancel := context.WithCancel(address.With(r.Context(), w.addressOf(r, prefix, listener)))
	defer cancel()
	defer context.AfterFunc(requestCtx, cancel)()
	r = r.WithContext(ctx)
	r.URL = below
	a.Handler().ServeHTTP(rw, r)
}

// cutPrefix is the address without the prefix before its path; false where the
// prefix is spelt in another way.
func cutPrefix(u *url.URL, prefix string) (*url.URL, bool) {
	if prefix == "" {
		return u, true
	}
	below := *u
	path, ok := strings.CutPrefix(u.Path, prefix)
	raw, spelt := strings.CutPrefix(u.RawPath, prefix)
	if !ok || u.RawPath != "" && !spelt {
		return nil, false
	}
	below.Path, below.RawPath = cmp.Or(path, "/"), raw
	return &below, true
}
