package analytics

import (
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// tokensPerOwner is how many tokens with full budgets one owner has the use of.
const tokensPerOwner = 10

// gate charges the token and its owner, and bounds the number of requests that
// run at once.
func (s *Service) gate(
	window func(*route.Request) limit.Window,
) func(http.ResponseWriter, *route.Request) (func(), error) {
	return func(_ http.ResponseWriter, r *route.Request) (func(), error) {
		// A user makes any number of tokens, so the owner has a limit too.
		place, err := s.inFlight.Take(r.Context(), r.Owner(), 1)
		if err != nil {
			return nil, errUnavailable("the service is overloaded; try again later")
		}
		return place.Release, s.charge(r, window(r))
	}
}

// charge counts one request of the token, and of its owner.
func (s *Service) charge(r *route.Request, each limit.Window) error {
	whole := limit.Window{Name: each.Name + ".owner", Limit: each.Limit * tokensPerOwner, Per: each.Per}
	_, err := s.world.Limits.TakeAll(r.Context(), []limit.Charge{
		{Window: each, Key: tokenKey(r), Cost: 1}, {Window: whole, Key: r.Caller.LimitKey(), Cost: 1},
	})
	return err
}

func tokenKey(r *route.Request) string {
	return "token/" + strconv.FormatInt(identity.From(r).TokenID, 10)
}
