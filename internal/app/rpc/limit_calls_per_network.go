package rpc

import (
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

const (
	// maxCalls is how many calls the listeners serve at once, maxNetworkCalls those
	// of one network, and maxAnonymousCalls those without a credential, which may
	// watch the health service for as long as they like.
	maxCalls          = 2048
	maxNetworkCalls   = 256
	maxAnonymousCalls = 512
	// maxRefused is how many tokens of a network are refused in a minute before
	// its tokens are no longer looked at.
	maxRefused = 300
)

// gate bounds what networks ask of the remote procedures on the listeners. It
// counts in this process: it protects the process.
type gate struct {
	calls   *budget.Pool
	refused *limit.Limiter
	window  limit.Window
}

func newGate(c clock.Clock) *gate {
	return &gate{
		calls: budget.New(budget.Options{
			Name: "calls", Total: maxCalls, PerOwner: maxNetworkCalls, Anonymous: maxAnonymousCalls,
		}),
		refused: limit.New(limit.Options{Clock: c}),
		window:  limit.Window{Name: "rpc.refused", Limit: maxRefused, Per: time.Minute},
	}
}

// enter takes the place of a call, which release gives back, once admit has looked
// at its credential. Callers with a certificate are never refused for what others
// of their network sent.
func (g *gate) enter(q *http.Request, admit func() error) (release func(), err error) {
	network := clientaddr.Network(q)
	owner, token := budget.Address(network), false
	switch {
	case q.TLS != nil && len(q.TLS.VerifiedChains) > 0:
		owner = budget.Caller("certificate " + network)
	case q.Header.Get("Authorization") != "":
		owner, token = budget.Caller("token "+network), true
		d, err := g.refused.Peek(q.Context(), g.window, network)
		if err != nil {
			return nil, status.Error(codes.Unavailable, "the call cannot be counted right now")
		}
		if d.Remaining <= 0 {
			return nil, status.Error(codes.ResourceExhausted,
				"too many calls of this network were refused; try again in a minute")
		}
	}
	grant, err := g.calls.Take(q.Context(), owner, 1)
	if err != nil {
		return nil, status.Error(codes.ResourceExhausted, "too many calls at once; try again")
	}
	if err := admit(); err != nil {
		grant.Release()
		if token && status.Code(err) != codes.Unavailable {
			if _, failed := g.refused.Spend(q.Context(), g.window, network, 1); failed != nil {
				return nil, status.Error(codes.Unavailable, "the call cannot be counted right now")
			}
		}
		return nil, err
	}
	return grant.Release, nil
}
