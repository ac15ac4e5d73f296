package generate

import (
	"context"
	"math"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// Counting takes a second for a megabyte. Texts up to uncountedText are counted
// at once, longer ones take one of maxCounting places, and none is longer than
// maxText.
const (
	uncountedText = 64 << 10
	maxText       = 16 << 20
	maxCounting   = 4
	countingWait  = 30 * time.Second
)

// takeCounting takes a place to count n bytes of text.
func (s *Service) takeCounting(ctx context.Context, owner budget.Owner, n int) (*budget.Grant, error) {
	if n > maxText {
		return nil, api.ErrInvalidField("contents", "the text has %d bytes, at most %d can be counted", n, maxText)
	}
	if n <= uncountedText {
		return s.counting.Take(ctx, owner, 0)
	}
	return s.counting.Take(ctx, owner, 1)
}

// requestCounter counts for one user, who may refer to files of their own only.
func (s *Service) requestCounter(m api.Model, limit int, userID int64, resolution api.Enum) tokens.RequestCounter {
	return tokens.RequestCounter{
		Text: s.counter(m), Limit: limit, Resolution: resolution,
		File: func(ctx context.Context, d *api.FileData) (tokens.Counts, error) {
			return s.files.Tokens(ctx, userID, d)
		},
	}
}

// CountTokens counts a request without answering it.
func (s *Service) CountTokens(
	ctx context.Context, caller *identity.Caller, id string, r *api.Request,
) (api.Usage, error) {
	m, err := s.requestedModel(id, methodCount, r)
	if err != nil {
		return api.Usage{}, err
	}
	e := &session{service: s, caller: caller, request: r}
	defer e.end()
	cached, err := e.unfold(ctx, m, id)
	if err != nil {
		return api.Usage{}, err
	}
	err = e.count(ctx, m, math.MaxInt, cached)
	return e.usage, err
}
