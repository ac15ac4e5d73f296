package api

import "strings"

// Response is a whole answer, and also one chunk of a stream.
type Response struct {
	Candidates     []Candidate     `json:"candidates,omitempty"`
	PromptFeedback *PromptFeedback `json:"promptFeedback,omitempty"`
	UsageMetadata  Usage           `json:"usageMetadata"`
	ModelVersion   string          `json:"modelVersion"`
	ResponseID     string          `json:"responseId"`
	ModelStatus    ModelStatus     `json:"modelStatus"`
	// Notes say what of the request the model could not honour; modelStatus has
	// them as one text.
	Notes []string `json:"-"`
}

// Candidate is one of the answers.
type Candidate struct {
	Content        *Content        `json:"content,omitempty"`
	FinishReason   string          `json:"finishReason,omitempty"`
	FinishMessage  string          `json:"finishMessage,omitempty"`
	Index          int             `json:"index"`
	SafetyRatings  []SafetyRating  `json:"safetyRatings,omitempty"`
	TokenCount     int             `json:"tokenCount,omitempty"`
	AvgLogprobs    *float64        `json:"avgLogprobs,omitempty"`
	LogprobsResult *LogprobsResult `json:"logprobsResult,omitempty"`
}

// The reasons why a candidate ended that backends and the safety filter give.
const (
	FinishStop          = "STOP"
	FinishMaxTokens     = "MAX_TOKENS"
	FinishSafety        = "SAFETY"
	FinishOther         = "OTHER"
	FinishMalformedCall = "MALFORMED_FUNCTION_CALL"
)

// LogprobsResult tells the probability of every token chosen.
type LogprobsResult struct {
	TopCandidates    []TopCandidates `json:"topCandidates,omitempty"`
	ChosenCandidates []TokenLogprob  `json:"chosenCandidates,omitempty"`
}

// TopCandidates are the likeliest tokens at one place.
type TopCandidates struct {
	Candidates []TokenLogprob `json:"candidates"`
}

// TokenLogprob is one token and its logarithmic probability.
type TokenLogprob struct {
	Token          string  `json:"token"`
	TokenID        int     `json:"tokenId,omitempty"`
	LogProbability float64 `json:"logProbability"`
}

// PromptFeedback says why a prompt was not answered.
type PromptFeedback struct {
	BlockReason   string         `json:"blockReason,omitempty"`
	SafetyRatings []SafetyRating `json:"safetyRatings,omitempty"`
}

// SafetyRating is the classifier's word on one category.
type SafetyRating struct {
	Category    string `json:"category"`
	Probability string `json:"probability"`
	Blocked     bool   `json:"blocked,omitempty"`
}

// Usage counts tokens. The contract's total is prompt plus candidates.
type Usage struct {
	PromptTokenCount           int             `json:"promptTokenCount"`
	CachedContentTokenCount    int             `json:"cachedContentTokenCount"`
	CandidatesTokenCount       int             `json:"candidatesTokenCount"`
	ToolUsePromptTokenCount    int             `json:"toolUsePromptTokenCount"`
	ThoughtsTokenCount         int             `json:"thoughtsTokenCount"`
	TotalTokenCount            int             `json:"totalTokenCount"`
	PromptTokensDetails        []ModalityCount `json:"promptTokensDetails"`
	CacheTokensDetails         []ModalityCount `json:"cacheTokensDetails"`
	CandidatesTokensDetails    []ModalityCount `json:"candidatesTokensDetails"`
	ToolUsePromptTokensDetails []ModalityCount `json:"toolUsePromptTokensDetails"`
}

// ModalityCount is the share of one kind of media.
type ModalityCount struct {
	Modality   string `json:"modality"`
	TokenCount int    `json:"tokenCount"`
}

// ModelStatus tells how far a model is from its retirement.
type ModelStatus struct {
	ModelStage string `json:"modelStage"`
	Message    string `json:"message,omitempty"`
}

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

// FirstText is the text of the first candidate.
func (r *Response) FirstText() string {
	if len(r.Candidates) == 0 || r.Candidates[0].Content == nil {
		return ""
	}
	return PlainText(r.Candidates[0].Content.Parts)
}
