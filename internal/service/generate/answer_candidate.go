package generate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// candidate follows one answer as it grows.
type candidate struct {
	session *session
	index   int
	send    func(api.Response) error
	tail    string
	ratings []api.SafetyRating
	logSum  float64
	logs    int
	// answered and thought are the tokens counted so far.
	answered, thought int
}

// overlap is how much of the text before is judged again with each piece, so
// that what is split between pieces is still seen.
const overlap = 400

// take is called by the backend for every piece.
func (c *candidate) take(ctx context.Context, p api.Piece) error {
	e := c.session
	if p.Block != "" {
		e.feedback = &api.PromptFeedback{BlockReason: p.Block}
		return c.send(e.chunk(nil))
	}
	out := api.Candidate{Index: c.index, FinishReason: p.Finish, FinishMessage: p.Message}
	if len(p.Parts) > 0 {
		out.Content = &api.Content{Role: api.RoleModel, Parts: p.Parts}
	}
	if c.judge(p.Parts) {
		out = api.Candidate{Index: c.index, FinishReason: api.FinishSafety, SafetyRatings: c.ratings}
		if err := c.send(e.chunk(&out)); err != nil {
			return err
		}
		return errBlocked
	}
	if err := c.count(ctx, p, &out); err != nil {
		return err
	}
	c.addLogprobs(p, &out)
	if p.Finish != "" {
		out.SafetyRatings = c.ratings
		if out.Content == nil {
			out.Content = &api.Content{Role: api.RoleModel}
		}
	}
	return c.send(e.chunk(&out))
}

// judge rates the new text with the end of the text before it; ratings only
// ever rise.
func (c *candidate) judge(parts []api.Part) (blocked bool) {
	window := c.tail + api.PlainText(parts)
	ratings, blocked := c.session.filter.judge(window)
	for i := range ratings {
		if i < len(c.ratings) && rank(c.ratings[i].Probability) > rank(ratings[i].Probability) {
			ratings[i] = c.ratings[i]
		}
	}
	c.ratings = ratings
	c.tail = strings.ToValidUTF8(window[max(0, len(window)-overlap):], "")
	return blocked
}

func rank(probability string) int {
	for i, word := range levels() {
		if word == probability {
			return i
		}
	}
	return 0
}

func (c *candidate) addLogprobs(p api.Piece, out *api.Candidate) {
	if len(p.Logprobs) == 0 {
		return
	}
	out.LogprobsResult = &api.LogprobsResult{ChosenCandidates: p.Logprobs, TopCandidates: p.Top}
	for _, l := range p.Logprobs {
		c.logSum += l.LogProbability
		c.logs++
	}
	if p.Finish != "" {
		average := c.logSum / float64(c.logs)
		out.AvgLogprobs = &average
	}
}

// count adds a piece to the usage. A backend's own counts win.
func (c *candidate) count(ctx context.Context, p api.Piece, out *api.Candidate) error {
	e, answer, thoughts := c.session, 0, 0
	u := &e.usage
	for i := range p.Parts {
		if p.Counts != nil {
			break // counted by the backend itself
		}
		n, err := tokens.RequestCounter{Text: e.service.tokens, Limit: math.MaxInt}.Part(ctx, &p.Parts[i])
		if err != nil {
			return fmt.Errorf("count the answer: %w", err)
		}
		switch {
		case p.Parts[i].Thought:
			thoughts += n.Total()
		case p.Parts[i].CodeExecutionResult != nil:
			// The model did not write this, it reads it.
			u.ToolUsePromptTokenCount += n.Total()
			u.ToolUsePromptTokensDetails = tokens.OfText(u.ToolUsePromptTokenCount).Details()
		default:
			answer += n.Total()
		}
	}
	if p.Counts != nil {
		u.PromptTokenCount = max(p.Counts.Prompt, u.CachedContentTokenCount)
		u.PromptTokensDetails = tokens.OfText(u.PromptTokenCount).Details()
		answer, thoughts = p.Counts.Completion-c.answered, p.Counts.Thoughts-c.thought
	}
	c.answered, c.thought = c.answered+answer, c.thought+thoughts
	u.CandidatesTokenCount += answer
	u.ThoughtsTokenCount += thoughts
	out.TokenCount = c.answered
	u.TotalTokenCount = u.PromptTokenCount + u.CandidatesTokenCount
	u.CandidatesTokensDetails = tokens.OfText(u.CandidatesTokenCount).Details()
	return nil
}
