package openai_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/openai"
)

func chat(t *testing.T, body string) (*api.Request, error) {
	t.Helper()
	var r openai.ChatRequest
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	return r.Translate("vendor")
}

// TestTranslateChat writes each member in the other form's words.
func TestTranslateChat(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"messages":[{"role":"developer","content":"Be kind."},{"role":"user","content":"Hi"}]}`: `"contents":[{"role":"user",` +
			`"parts":[{"text":"Hi"}]}],"systemInstruction":{"parts":[{"text":"Be kind."}]}`,
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,QQ=="}}]}]}`: `"inlineData"` +
			`:{"mimeType":"image/png","data":"QQ=="}`,
		`{"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"QQ==","format":"mp3"}}]}]}`: `"audio/mpeg"`,
		`{"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"files/a"}}]}]}`:                        `"fileUri":"files/a"`,
		`{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}}]},` +
			`{"role":"tool","tool_call_id":"c","content":"5"}]}`: `"functionResponse":{"id":"c","name":"f","response":{"output":"5"}}`,
		`{"tool_choice":{"type":"function","function":{"name":"f"}}}`: `"mode":"ANY","allowedFunctionNames":["f"]`,
		`{"tool_choice":"none"}`:                                `"mode":"NONE"`,
		`{"reasoning_effort":"low"}`:                            `"thinkingLevel":"LOW"`,
		`{"stop":"x","n":2,"seed":7,"max_completion_tokens":5}`: `"stopSequences":["x"],"candidateCount":2,"maxOutputTokens":5,"seed":7`,
		`{"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object"}}}}`: `"responseJsonSchema":{"type":"object"}`,
		`{"extra_body":{"vendor":{"cached_content":"cachedContents/x"}}}`:                       `"cachedContent":"cachedContents/x"`,
		`{"service_tier":"flex"}`: `"serviceTier":"flex"`,
	} {
		r, err := chat(t, body)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if raw, _ := json.Marshal(r); !strings.Contains(string(raw), want) {
			t.Errorf("%s: got %s, want %s", body, raw, want)
		}
	}
	for body, field := range map[string]string{
		`{"messages":[{"role":"tool","tool_call_id":"x","content":"5"}]}`: "messages[0].tool_call_id",
		`{"messages":[{"role":"user","content":[{"type":"video"}]}]}`:     "messages[0].content[0].type",
		`{"tools":[{"type":"web_search"}]}`:                               "tools[0].type",
		`{"tool_choice":"sometimes"}`:                                     "tool_choice",
		`{"modalities":["audio"]}`:                                        "modalities",
		`{"extra_body":{"other":{}}}`:                                     "extra_body.other",
		`{"service_tier":"gold"}`:                                         "service_tier",
	} {
		_, err := chat(t, body)
		own, ok := err.(*api.Error)
		if !ok || own.Field != field {
			t.Errorf("%s: %v, want the field %s", body, err, field)
		}
	}
}

// TestParam names fields of the other form.
func TestParam(t *testing.T) {
	t.Parallel()
	for field, want := range map[string][2]string{
		"contents[2].parts[0]":                           {"messages", "input"},
		"generationConfig.maxOutputTokens":               {"max_completion_tokens", "max_output_tokens"},
		"generationConfig.topP":                          {"top_p", "top_p"},
		"generationConfig.responseSchema.properties":     {"response_format", "text.format"},
		"tools[0].functionDeclarations[3].parameters":    {"tools[3].parameters", "tools[3].parameters"},
		"toolConfig.functionCallingConfig.mode":          {"tool_choice", "tool_choice"},
		"requests[0].outputDimensionality":               {"dimensions", "dimensions"},
		"generationConfig.thinkingConfig.thinkingBudget": {"reasoning_effort", "reasoning"},
	} {
		for i, responses := range []bool{false, true} {
			if got := openai.Param(field, responses); got != want[i] {
				t.Errorf("%s: got %s, want %s", field, got, want[i])
			}
		}
	}
}

// TestBlockedPrompt ends with the filter's word and says why.
func TestBlockedPrompt(t *testing.T) {
	t.Parallel()
	blocked := &api.Response{PromptFeedback: &api.PromptFeedback{BlockReason: "SAFETY"}, ResponseID: "r"}
	raw, err := json.Marshal(openai.NewChatStream(&openai.ChatRequest{}, time.Unix(5, 0)).Whole(blocked))
	if err != nil || !strings.Contains(string(raw), `"finish_reason":"content_filter"`) ||
		!strings.Contains(string(raw), `"content":null,"refusal":"the prompt was blocked: SAFETY"`) {
		t.Errorf("chat: %s, %v", raw, err)
	}
	s := openai.NewResponseStream(&openai.ResponsesRequest{}, time.Unix(5, 0), nil)
	if err := s.Take(blocked); err != nil {
		t.Fatal(err)
	}
	whole, err := s.End()
	if err != nil || whole.Status != "incomplete" {
		t.Errorf("response: %+v, %v", whole, err)
	}
}

// FuzzTranslate takes any body without a panic.
func FuzzTranslate(f *testing.F) {
	fuzztest.Bytes(f, []byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"tool_choice":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c openai.ChatRequest
		if json.Unmarshal(b, &c) == nil {
			if r, err := c.Translate(); err == nil && r == nil {
				t.Error("neither a request nor an error")
			}
		}
		var s openai.ResponsesRequest
		if json.Unmarshal(b, &s) == nil {
			if r, err := s.Translate(); err == nil && r == nil {
				t.Error("neither a request nor an error")
			}
		}
	})
}
