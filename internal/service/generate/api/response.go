package api

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

// FirstText is the text of the first candidate.
func (r *Response) FirstText() string {
	if len(r.Candidates) == 0 || r.Candidates[0].Content == nil {
		return ""
	}
	return PlainText(r.Candidates[0].Content.Parts)
}
