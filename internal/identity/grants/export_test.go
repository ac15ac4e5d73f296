package grants

import "stoa.dev/stoa/internal/platform/memo"

// Kept are the counts of what is kept in memory of codes.
func (g *Grants) Kept() memo.Stats { return g.codes.Stats() }
