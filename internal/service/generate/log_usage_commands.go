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

// Used is the answer of "generate usage".
type Used struct {
	Rows []UsedRow `json:"rows"`
}

// UsedRow is one model and one key. Where that is not all of the user's use of the
// model, a row with key 0 before it has the whole.
type UsedRow struct {
	Key          int64  `json:"key"`
	Model        string `json:"model"`
	PromptTokens int64  `json:"prompt_tokens"`
	AnswerTokens int64  `json:"answer_tokens"`
}

func (s *Service) runUsage(ctx context.Context, in *module.Input) (any, error) {
	user, err := s.identity.UserByName(ctx, in.Text("user"))
	if err != nil {
		return nil, err
	}
	keys, err := s.identity.KeysOf(ctx, user.ID)
	if err != nil {
		return nil, err
	}
	var out Used
	for _, m := range s.Models() {
		var whole, byKey Used
		if err := s.addUsed(ctx, &whole, 0, userKey(user.ID), m.ID); err != nil {
			return nil, err
		}
		for _, k := range keys {
			if err := s.addUsed(ctx, &byKey, k.ID, tokenKey(k.ID), m.ID); err != nil {
				return nil, err
			}
		}
		if !sameUse(whole.Rows, byKey.Rows) {
			out.Rows = append(out.Rows, whole.Rows...)
		}
		out.Rows = append(out.Rows, byKey.Rows...)
	}
	return out, nil
}

// sameUse reports whether one key made all of a user's use.
func sameUse(whole, byKey []UsedRow) bool {
	return len(whole) == 1 && len(byKey) == 1 && whole[0].PromptTokens == byKey[0].PromptTokens &&
		whole[0].AnswerTokens == byKey[0].AnswerTokens
}

func (s *Service) addUsed(ctx context.Context, out *Used, key int64, whose, model string) error {
	prompt, err := s.world.Limits.Peek(ctx, used(usedIn), whose+"|"+model)
	if err != nil {
		return err
	}
	answer, err := s.world.Limits.Peek(ctx, used(usedOut), whose+"|"+model)
	if err == nil && prompt.Used+answer.Used > 0 {
		out.Rows = append(out.Rows, UsedRow{key, model, prompt.Used, answer.Used})
	}
	return err
}
