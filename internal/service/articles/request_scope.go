package articles

import (
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
	"stoa.dev/stoa/internal/service/articles/site"
	"stoa.dev/stoa/internal/service/articles/web"
)

// Scope is the service as one request sees it: in a site, for a caller. The
// operations are its methods.
type Scope struct {
	*Service
	site.Site
	// Caller is nil for an anonymous request.
	Caller *identity.Caller
	// rows bounds the rows that are read for the answer; nil bounds nothing.
	rows *rowmemory.Memory
}

// userID is 0 for an anonymous request.
func (s Scope) userID() int64 {
	if s.Caller == nil {
		return 0
	}
	return s.Caller.UserID
}

func (s Scope) viewer() groups.Viewer { return groups.Viewer{TeamID: s.TeamID(), UserID: s.userID()} }

// owner is who answers for the work of a write, which is never anonymous.
func (s Scope) owner() budget.Owner {
	if s.Caller == nil {
		return budget.Address("")
	}
	return budget.Caller(s.Caller.LimitKey())
}

// itemPath is where browsers read the item.
func itemPath(i Item) string {
	folder := "/items/"
	if i.Private {
		folder = "/private/"
	}
	return web.Prefix + "/" + i.User.Name + folder + i.ID
}
