package generate

import (
	"context"
	"math"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/generate/requestlog"
)

// commands let operators read what was stored and what was used.
func (s *Service) commands() []module.Command {
	return append(s.modelCommands(), []module.Command{
		{
			Path: "generate log", Short: "show stored requests and answers, the newest first",
			Flags: []module.Flag{
				{Name: "user", Help: "only of this user"},
				{Name: "before", Kind: module.Int, Help: "only entries before this number"},
				{Name: "limit", Kind: module.Int, Default: "20", Help: "how many at most"},
			},
			Run: s.runLog,
		},
		{
			Path: "generate usage", Short: "show what a user has used of each model today",
			Args: []module.Arg{{Name: "user", Help: "the user's name"}},
			Run:  s.runUsage,
		},
	}...)
}

// Logged is the answer of "generate log".
type Logged struct {
	Entries []requestlog.Entry `json:"entries"`
}

func (s *Service) runLog(ctx context.Context, in *module.Input) (any, error) {
	before := int64(math.MaxInt64)
	if in.Has("before") {
		before = int64(in.Int("before"))
	}
	limit := 20
	if in.Has("limit") {
		limit = min(max(in.Int("limit"), 1), 1000)
	}
	name := in.Text("user")
	if name == "" {
		entries, err := requestlog.OfAll(ctx, s.world.DB, before, s.now(), limit)
		return Logged{Entries: entries}, err
	}
	u, err := s.identity.UserByName(ctx, name)
	if err != nil {
		return nil, err
	}
	entries, err := requestlog.OfUser(ctx, s.world.DB, u.ID, before, s.now(), limit)
	return Logged{Entries: entries}, err
}
