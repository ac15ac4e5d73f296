package forge

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// networkTimes is how many times more requests all callers of one network may
// make than one of them.
const networkTimes = 4

// gate counts the requests of a caller and of its network: every one of them
// starts a program.
func (f *Forge) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	window := limit.Window{Name: "git requests", Limit: f.config.Requests, Per: time.Minute}
	network := "address:" + clientaddr.Network(r.Request)
	if r.Caller == nil {
		_, err := f.world.Limits.Take(r.Context(), window, network, 1)
		return nil, err
	}
	wide := limit.Window{
		Name: "git requests of a network", Limit: networkTimes * f.config.Requests, Per: time.Minute,
	}
	_, err := f.world.Limits.TakeAll(r.Context(), []limit.Charge{
		{Window: window, Key: r.Caller.LimitKey(), Cost: 1}, {Window: wide, Key: network, Cost: 1},
	})
	return nil, err
}
