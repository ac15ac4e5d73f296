package peer

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/upstream"
)

// TestRequest writes a prompt with a file, a seed and functions.
func TestRequest(t *testing.T) {
	t.Parallel()
	seed, count := int32(7), 3
	p := &api.Prompt{
		System: "be brief", Code: true, Mode: "ANY", Allowed: []string{"f"},
		Functions: []api.Function{{Name: "f", Parameters: map[string]any{"type": "object"}}, {Name: "g"}},
		Contents:  []api.Content{{Role: api.RoleUser, Parts: []api.Part{{FileData: &api.FileData{FileURI: "files/a"}}}}},
		Config:    api.GenerationConfig{Seed: &seed, CandidateCount: &count},
		Media: func(context.Context, *api.FileData) (string, []byte, error) {
			return "text/plain", []byte("hello"), nil
		},
	}
	r, err := newRequest(t.Context(), p, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"text/plain","data":"aGVsbG8="}}]}],` +
		`"tools":[{"codeExecution":{}},{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object"}}]}],` +
		`"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"systemInstruction":{"parts":[{"text":"be brief"}]},` +
		`"generationConfig":{"seed":9},"store":false}`
	if string(got) != want {
		t.Errorf("request = %s, want %s", got, want)
	}
}

// TestReader passes on pieces, hides thoughts, and needs an end.
func TestReader(t *testing.T) {
	t.Parallel()
	const text = `data: {"candidates":[{"content":{"parts":[{"text":"so","thought":true},{"text":"yes"}]}}],` +
		`"usageMetadata":{"promptTokenCount":4}}` + "\n\n"
	const last = `data: {"candidates":[{"finishReason":"STOP"}]}` + "\n\n"
	for stream, whole := range map[string]bool{
		text: false, text + last: true, "data: {\"error\":{\"message\":\"x\"}}\n\n": false,
	} {
		var pieces []api.Piece
		r := reader{prompt: &api.Prompt{}, emit: func(p api.Piece) error { pieces = append(pieces, p); return nil }}
		err := upstream.ReadEvents(strings.NewReader(stream), r.chunk, func() bool { return r.ended })
		if (err == nil) != whole {
			t.Errorf("%s: err = %v, want whole %v", stream, err, whole)
		}
		if !strings.Contains(stream, "yes") {
			continue
		}
		if len(pieces) == 0 || len(pieces[0].Parts) != 1 || *pieces[0].Parts[0].Text != "yes" ||
			pieces[0].Counts.Prompt != 4 {
			t.Errorf("%s: pieces = %+v, want one with the text yes", stream, pieces)
		}
	}
}
