package generate

import (
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/wire"
)

// TestEncodeResponse compares with the ordinary encoder, byte by byte.
func TestEncodeResponse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.StringMatching(`[a-z <"\\é\n]{0,6}`)
		counts := func() []ModalityCount {
			if rapid.Bool().Draw(t, "nil") {
				return nil
			}
			list := []ModalityCount{}
			for range rapid.IntRange(0, 2).Draw(t, "kinds") {
				list = append(list, ModalityCount{"TEXT", rapid.IntRange(0, 9).Draw(t, "count")})
			}
			return list
		}
		r := Response{ModelVersion: some.Draw(t, "version"), ResponseID: "id", ModelStatus: ModelStatus{ModelStage: "STABLE"}}
		r.UsageMetadata = Usage{
			PromptTokenCount: rapid.Int().Draw(t, "prompt"), TotalTokenCount: 3, ThoughtsTokenCount: rapid.IntRange(0, 3).Draw(t, "thoughts"),
			PromptTokensDetails: counts(), CacheTokensDetails: counts(), CandidatesTokensDetails: counts(), ToolUsePromptTokensDetails: counts(),
		}
		for i := range rapid.IntRange(0, 2).Draw(t, "candidates") {
			c := Candidate{Index: i, TokenCount: rapid.IntRange(0, 2).Draw(t, "tokens"), FinishReason: rapid.SampledFrom([]string{"", "STOP", `"odd"`}).Draw(t, "finish"), FinishMessage: some.Draw(t, "message")}
			if rapid.Bool().Draw(t, "content") {
				c.Content = &Content{Role: rapid.SampledFrom([]string{RoleModel, ""}).Draw(t, "role")}
				for range rapid.IntRange(0, 2).Draw(t, "parts") {
					p := text(some.Draw(t, "text"))
					p.Thought = rapid.IntRange(0, 5).Draw(t, "thought") == 0
					c.Content.Parts = append(c.Content.Parts, p)
				}
			}
			for range rapid.IntRange(0, 2).Draw(t, "ratings") {
				c.SafetyRatings = append(c.SafetyRatings, SafetyRating{"HARM", "LOW", rapid.Bool().Draw(t, "blocked")})
			}
			r.Candidates = append(r.Candidates, c)
		}
		if rapid.IntRange(0, 5).Draw(t, "feedback") == 0 {
			r.PromptFeedback = &PromptFeedback{BlockReason: "SAFETY"}
		}
		want, err := wire.EncodeJSON(&r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := encodeResponse([]byte("left over"), &r)
		if err != nil || string(got) != string(want) {
			t.Fatalf("got  %s\nwant %s (%v)", got, want, err)
		}
	})
}
