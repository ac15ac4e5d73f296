package api

import "strings"

// Append adds a chunk to a whole answer.
func (r *Response) Append(chunk Response) {
	known := r.Candidates
	*r = Response{
		Candidates: known, PromptFeedback: chunk.PromptFeedback, UsageMetadata: chunk.UsageMetadata,
		ModelVersion: chunk.ModelVersion, ResponseID: chunk.ResponseID, ModelStatus: chunk.ModelStatus,
		Notes: chunk.Notes,
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
		r.Candidates[c.Index].append(c)
	}
}

func (c *Candidate) append(next Candidate) {
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

// JoinTexts joins neighbouring parts of text, once all of them are there.
func (r *Response) JoinTexts() {
	for i := range r.Candidates {
		if c := r.Candidates[i].Content; c != nil && len(c.Parts) > 1 {
			c.Parts = joinTexts(c.Parts)
		}
	}
}

func joinTexts(parts []Part) []Part {
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
