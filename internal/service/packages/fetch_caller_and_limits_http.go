package packages

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// foreign reports whether a page of another site may have caused a request. Pages of
// this machine are its user's own. Where only this machine can ask us, a host that
// does not name it is a site whose name was made to lead here.
func (s *Service) foreign(r *http.Request) bool {
	if s.config.Discover == DiscoverAuto && clientaddr.Loopback(r) && !clientaddr.LoopbackHost(r.Host) {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") == "cross-site"
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host == "" || (u.Host != r.Host && !clientaddr.LoopbackHost(u.Host))
}

// asked is the context of a request, with its caller.
func (s *Service) asked(r *route.Request) context.Context {
	return withAsker(r.Context(), asker{network: clientaddr.Network(r.Request), foreign: s.foreign(r.Request)})
}

// asker is for whom registries are asked: a caller of the API, or the operator when
// a command or the schedule runs. Callers have limits.
type asker struct {
	// network is the caller's; empty for the operator.
	network string
	// foreign means that a web page of another site asks, in the browser of a user
	// who can reach this server: registries that were found are not asked for it.
	foreign bool
	// stored means that the store alone is asked.
	stored bool
	// left is how many fetches the request may still cause; nil sets no bound.
	left *atomic.Int64
}

type askerKey struct{}

func withAsker(ctx context.Context, a asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a) //nolint:forbidigo // who asks is a fact of the request
}

// askerOf is the asker of a context, the operator where none was set.
func askerOf(ctx context.Context) asker {
	a, _ := ctx.Value(askerKey{}).(asker)
	return a
}

// withFetches is the context of a request that may cause this many fetches.
func withFetches(ctx context.Context, fetches int) context.Context {
	a := askerOf(ctx)
	if a.operator() {
		return ctx
	}
	a.left = new(atomic.Int64)
	a.left.Store(int64(fetches))
	return withAsker(ctx, a)
}

func (a asker) operator() bool { return a.network == "" }

// owner is whose places and memory a fetch takes.
func (a asker) owner() budget.Owner {
	if a.operator() {
		return budget.Caller(Name)
	}
	return budget.Address(a.network)
}

// key is what the caller's limits are counted by.
func (a asker) key() string { return "address:" + a.network }

// admit counts a fetch that a caller is about to cause.
func (s *Service) admit(ctx context.Context, a asker) error {
	if a.operator() {
		return nil
	}
	if a.left != nil && a.left.Add(-1) < 0 {
		return errBatchFetches
	}
	_, err := s.world.Limits.Take(ctx, limit.Window{
		Name: Name + ".fetches", Limit: s.config.FetchesPerHour, Per: time.Hour,
	}, a.key(), 1)
	return err
}

// admitVersions counts what a caller is about to make the store keep, against
// the caller's part of it for a day.
func (s *Service) admitVersions(ctx context.Context, a asker, n int) error {
	if a.operator() {
		return nil
	}
	_, err := s.world.Limits.Take(ctx, limit.Window{
		Name: Name + ".stored", Limit: max(s.config.MaxFetched/callerPart, 1), Per: 24 * time.Hour,
	}, a.key(), int64(n))
	return err
}

// callerPart is how many callers fill what may be fetched in a day.
const callerPart = 10
