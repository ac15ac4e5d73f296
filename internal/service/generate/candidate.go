package generate

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// candidate follows one answer as it grows.
type candidate struct {
	session *session
	index   int
	send    func(Response) error
	tail    string
	ratings []SafetyRating
	logSum  float64
	logs    int
	// answered and thought are the tokens counted so far.
	answered, thought int
}

// overlap is how much of the text before is judged again with each piece, so
// that what is split between pieces is still seen.
const overlap = 400

// take is called by the backend for every piece.
func (c *candidate) take(ctx context.Context, p Piece) error {
	e := c.session
	if p.Block != "" {
		e.feedback = &PromptFeedback{BlockReason: p.Block}
		return c.send(e.chunk(nil))
	}
	out := Candidate{Index: c.index, FinishReason: p.Finish, FinishMessage: p.Message}
	if len(p.Parts) > 0 {
		out.Content = &Content{Role: RoleModel, Parts: p.Parts}
	}
	if c.judge(p.Parts) {
		out = Candidate{Index: c.index, FinishReason: FinishSafety, SafetyRatings: c.ratings}
		if err := c.send(e.chunk(&out)); err != nil {
			return err
		}
		return errEnough
	}
	if err := c.count(ctx, p, &out); err != nil {
		return err
	}
	c.addLogprobs(p, &out)
	if p.Finish != "" {
		out.SafetyRatings = c.ratings
		if out.Content == nil {
			out.Content = &Content{Role: RoleModel}
		}
	}
	return c.send(e.chunk(&out))
}

// judge rates the new text with the end of the text before it; ratings only
// ever rise.
func (c *candidate) judge(parts []Part) (blocked bool) {
	window := c.tail + plainText(parts)
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

func (c *candidate) addLogprobs(p Piece, out *Candidate) {
	if len(p.Logprobs) == 0 {
		return
	}
	out.LogprobsResult = &LogprobsResult{ChosenCandidates: p.Logprobs, TopCandidates: p.Top}
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
func (c *candidate) count(ctx context.Context, p Piece, out *Candidate) error {
	e, answer, thoughts := c.session, 0, 0
	u := &e.usage
	for i := range p.Parts {
		if p.Counts != nil {
			break // counted by the backend itself
		}
		w, err := scale{tokens: e.service.tokens, most: math.MaxInt}.part(ctx, &p.Parts[i])
		if err != nil {
			return fmt.Errorf("count the answer: %w", err)
		}
		switch {
		case p.Parts[i].Thought:
			thoughts += w.total()
		case p.Parts[i].CodeExecutionResult != nil:
			// The model did not write this, it reads it.
			u.ToolUsePromptTokenCount += w.total()
			u.ToolUsePromptTokensDetails = weightOfText(u.ToolUsePromptTokenCount).details()
		default:
			answer += w.total()
		}
	}
	if p.Counts != nil {
		u.PromptTokenCount = max(p.Counts.Prompt, u.CachedContentTokenCount)
		u.PromptTokensDetails = weightOfText(u.PromptTokenCount).details()
		answer, thoughts = p.Counts.Completion-c.answered, p.Counts.Thoughts-c.thought
	}
	c.answered, c.thought = c.answered+answer, c.thought+thoughts
	u.CandidatesTokenCount += answer
	u.ThoughtsTokenCount += thoughts
	out.TokenCount = c.answered
	u.TotalTokenCount = u.PromptTokenCount + u.CandidatesTokenCount
	u.CandidatesTokensDetails = weightOfText(u.CandidatesTokenCount).details()
	return nil
}

// join adds a chunk to a whole answer.
func (r *Response) join(chunk Response) {
	known := r.Candidates
	*r = Response{
		Candidates: known, PromptFeedback: chunk.PromptFeedback, UsageMetadata: chunk.UsageMetadata,
		ModelVersion: chunk.ModelVersion, ResponseID: chunk.ResponseID, ModelStatus: chunk.ModelStatus,
	}
	if chunk.PromptFeedback != nil {
		r.Candidates = nil // all candidates or none
		return
	}
	for _, c := range chunk.Candidates {
		if c.Index == len(r.Candidates) {
			r.Candidates = append(r.Candidates, c)
			continue
		}
		r.Candidates[c.Index].join(c)
	}
}

func (c *Candidate) join(next Candidate) {
	if next.FinishReason == FinishSafety {
		*c = next
		return
	}
	c.FinishReason, c.FinishMessage = next.FinishReason, next.FinishMessage
	c.SafetyRatings, c.AvgLogprobs, c.TokenCount = next.SafetyRatings, next.AvgLogprobs, next.TokenCount
	if l := next.LogprobsResult; l != nil && c.LogprobsResult != nil {
		c.LogprobsResult.ChosenCandidates = append(c.LogprobsResult.ChosenCandidates, l.ChosenCandidates...)
		c.LogprobsResult.TopCandidates = append(c.LogprobsResult.TopCandidates, l.TopCandidates...)
	} else if l != nil {
		c.LogprobsResult = l
	}
	if next.Content == nil {
		return
	}
	if c.Content == nil {
		c.Content = &Content{Role: RoleModel}
	}
	c.Content.Parts = append(c.Content.Parts, next.Content.Parts...)
}

// close joins text that belongs together, once all of it is there.
func (r *Response) close() {
	for i := range r.Candidates {
		if c := r.Candidates[i].Content; c != nil && len(c.Parts) > 1 {
			c.Parts = joined(c.Parts)
		}
	}
}

func joined(parts []Part) []Part {
	var out []Part
	for i := 0; i < len(parts); {
		var said strings.Builder
		first := i
		for ; i < len(parts) && parts[i].Text != nil && parts[i].Thought == parts[first].Thought; i++ {
			said.WriteString(*parts[i].Text)
		}
		if i-first < 2 {
			out, i = append(out, parts[first]), first+1
			continue
		}
		whole := parts[first]
		text := said.String()
		whole.Text = &text
		out = append(out, whole)
	}
	return out
}

// firstText is the text of the first candidate.
func (r *Response) firstText() string {
	if len(r.Candidates) == 0 || r.Candidates[0].Content == nil {
		return ""
	}
	return plainText(r.Candidates[0].Content.Parts)
}
