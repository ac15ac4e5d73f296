package generate

import (
	"strconv"
	"sync"

	"stoa.dev/stoa/internal/platform/wire"
)

// buffers hold answers while they are written.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// maxBuffer is the largest that is kept for the next answer.
const maxBuffer = 64 << 10

// encodeResponse writes an answer as JSON. Plain answers, whose parts are all
// text, are written by hand: a stream encodes hundreds of them. The bytes are
// those of the ordinary encoder, which writes everything else. They may be in b,
// whose content is overwritten.
func encodeResponse(b []byte, r *Response) ([]byte, error) {
	for i := range r.Candidates {
		if !r.Candidates[i].plain() {
			return wire.EncodeJSON(r)
		}
	}
	if r.PromptFeedback != nil || !safe(r.ModelVersion) || !safe(r.ResponseID) || r.ModelStatus.Message != "" {
		return wire.EncodeJSON(r)
	}
	b = append(b[:0], '{')
	if len(r.Candidates) > 0 {
		b = append(b, `"candidates":[`...)
		for i := range r.Candidates {
			if i > 0 {
				b = append(b, ',')
			}
			b = r.Candidates[i].appendTo(b)
		}
		b = append(b, `],`...)
	}
	b = r.UsageMetadata.appendTo(append(b, `"usageMetadata":`...))
	b = append(append(b, `,"modelVersion":"`...), r.ModelVersion...)
	b = append(append(b, `","responseId":"`...), r.ResponseID...)
	b = append(append(b, `","modelStatus":{"modelStage":"`...), r.ModelStatus.ModelStage...)
	return append(b, `"}}`...), nil
}

// safe tells texts that JSON holds as they are.
func safe(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// plain tells candidates that appendTo can write.
func (c *Candidate) plain() bool {
	if c.AvgLogprobs != nil || c.LogprobsResult != nil || !safe(c.FinishReason) || !safe(c.FinishMessage) || c.Content != nil && c.Content.Role != RoleModel {
		return false
	}
	if c.Content == nil {
		return true
	}
	for i := range c.Content.Parts {
		p := &c.Content.Parts[i]
		if p.Text == nil || p.Thought || p.ThoughtSignature != "" || !safe(*p.Text) || p.VideoMetadata != nil || p.MediaResolution != nil || p.PartMetadata != nil {
			return false
		}
	}
	return true
}

func (c *Candidate) appendTo(b []byte) []byte {
	b = append(b, '{')
	if c.Content != nil {
		b = append(b, `"content":{"role":"model"`...)
		for i := range c.Content.Parts {
			if i == 0 {
				b = append(b, `,"parts":[`...)
			} else {
				b = append(b, ',')
			}
			b = append(append(append(b, `{"text":"`...), *c.Content.Parts[i].Text...), `"}`...)
		}
		if len(c.Content.Parts) > 0 {
			b = append(b, ']')
		}
		b = append(b, `},`...)
	}
	if c.FinishReason != "" {
		b = append(append(append(b, `"finishReason":"`...), c.FinishReason...), `",`...)
	}
	if c.FinishMessage != "" {
		b = append(append(append(b, `"finishMessage":"`...), c.FinishMessage...), `",`...)
	}
	b = strconv.AppendInt(append(b, `"index":`...), int64(c.Index), 10)
	for i, r := range c.SafetyRatings {
		if i == 0 {
			b = append(b, `,"safetyRatings":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(append(append(append(b, `{"category":"`...), r.Category...), `","probability":"`...), r.Probability...)
		b = append(b, '"')
		if r.Blocked {
			b = append(b, `,"blocked":true`...)
		}
		b = append(b, '}')
	}
	if len(c.SafetyRatings) > 0 {
		b = append(b, ']')
	}
	if c.TokenCount != 0 {
		b = strconv.AppendInt(append(b, `,"tokenCount":`...), int64(c.TokenCount), 10)
	}
	return append(b, '}')
}

func (u *Usage) appendTo(b []byte) []byte {
	open := `{"`
	for _, n := range [...]struct {
		name  string
		count int
	}{
		{"promptTokenCount", u.PromptTokenCount},
		{"cachedContentTokenCount", u.CachedContentTokenCount},
		{"candidatesTokenCount", u.CandidatesTokenCount},
		{"toolUsePromptTokenCount", u.ToolUsePromptTokenCount},
		{"thoughtsTokenCount", u.ThoughtsTokenCount},
		{"totalTokenCount", u.TotalTokenCount},
	} {
		b = append(append(append(b, open...), n.name...), `":`...)
		b = strconv.AppendInt(b, int64(n.count), 10)
		open = `,"`
	}
	for _, d := range [...]struct {
		name   string
		counts []ModalityCount
	}{
		{"promptTokensDetails", u.PromptTokensDetails},
		{"cacheTokensDetails", u.CacheTokensDetails},
		{"candidatesTokensDetails", u.CandidatesTokensDetails},
		{"toolUsePromptTokensDetails", u.ToolUsePromptTokensDetails},
	} {
		b = append(append(append(b, `,"`...), d.name...), `":`...)
		b = appendCounts(b, d.counts)
	}
	return append(b, '}')
}

func appendCounts(b []byte, counts []ModalityCount) []byte {
	if counts == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, m := range counts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"modality":"`...), m.Modality...), `","tokenCount":`...)
		b = append(strconv.AppendInt(b, int64(m.TokenCount), 10), '}')
	}
	return append(b, ']')
}
