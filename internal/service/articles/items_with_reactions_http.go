package articles

import (
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
)

// handleItemActions lists what was done about the team's items.
func (s Scope) handleItemActions(r *route.Request, p page.Numbers) ([]ItemActions, int64, error) {
	return s.ItemActions(r.Context(), r.Query().Get("query"), p)
}
