package generate

import (
	"context"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/generate/api"
)

// The budgets of one caller on one model. Their names are what quota details
// call the metric.
const (
	perMinute = Name + ".requests_per_minute"
	perDay    = Name + ".requests_per_day"
	perTokens = Name + ".tokens_per_minute"
	perCalls  = Name + ".calls_per_minute"
	usedIn    = Name + ".used_prompt_tokens"
	usedOut   = Name + ".used_answer_tokens"
)

func (s *Service) windows() (requests, tokens, daily limit.Window) {
	c := s.config
	return limit.Window{Name: perMinute, Limit: c.RequestsPerMinute, Per: time.Minute},
		limit.Window{Name: perTokens, Limit: c.TokensPerMinute, Per: time.Minute},
		limit.Window{Name: perDay, Limit: c.RequestsPerDay, Per: 24 * time.Hour, Aligned: true}
}

// used are windows that refuse no request: they count a day's usage.
func used(name string) limit.Window {
	return limit.Window{Name: name, Limit: 1 << 60, Per: 24 * time.Hour, Aligned: true}
}

func userKey(id int64) string  { return "user " + strconv.FormatInt(id, 10) }
func tokenKey(id int64) string { return "key " + strconv.FormatInt(id, 10) }

// callerKey is whose budgets a request uses. A batch is its user's, whatever key it came with.
func callerKey(caller *identity.Caller) string {
	if key := caller.LimitKey(); key != "" {
		return key
	}
	return "user:" + strconv.FormatInt(caller.UserID, 10)
}

// limitKey is one caller on one model.
func limitKey(caller *identity.Caller, m api.Model) string { return callerKey(caller) + "|" + m.ID }

// charge takes a request and its prompt from the budgets, all or nothing.
func (s *Service) charge(ctx context.Context, caller *identity.Caller, m api.Model, tokens int) error {
	key := limitKey(caller, m)
	requests, perTokens, daily := s.windows()
	_, err := s.world.Limits.TakeAll(ctx, []limit.Charge{
		{Window: requests, Key: key, Cost: 1}, {Window: daily, Key: key, Cost: 1},
		{Window: perTokens, Key: key, Cost: int64(tokens)},
	})
	return err
}

// spend counts what was used, by user and by key.
func (s *Service) spend(ctx context.Context, caller *identity.Caller, m api.Model, u api.Usage) error {
	s.metrics.add(m, u)
	_, tokens, _ := s.windows()
	if _, err := s.world.Limits.Spend(ctx, tokens, limitKey(caller, m), int64(u.CandidatesTokenCount)); err != nil {
		return err
	}
	for _, whose := range []string{userKey(caller.UserID), tokenKey(caller.TokenID)} {
		key := whose + "|" + m.ID
		if _, err := s.world.Limits.Spend(ctx, used(usedIn), key, int64(u.PromptTokenCount)); err != nil {
			return err
		}
		if _, err := s.world.Limits.Spend(ctx, used(usedOut), key, int64(u.CandidatesTokenCount)); err != nil {
			return err
		}
	}
	return nil
}
