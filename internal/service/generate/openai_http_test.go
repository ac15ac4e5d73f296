package generate_test

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/generate"
)

// bearer calls with the key as clients of the other form send it.
func (c client) bearer(method, target, body string) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.h.Call(method, target, body, "Authorization: Bearer "+c.key, "Content-Type: application/json")
}

func (c client) wantBearer(status int, method, target, body string) map[string]any {
	c.t.Helper()
	w := c.bearer(method, target, body)
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != status {
		c.t.Fatalf("%s %s %.200s = %d %.400s, want %d", method, target, body, w.Code, w.Body, status)
	}
	return out
}

// events are the data of a stream, with the names where there are some.
func events(t *testing.T, w *httptest.ResponseRecorder) (names []string, data []map[string]any, done bool) {
	t.Helper()
	if kind := w.Header().Get("Content-Type"); w.Code != 200 || kind != "text/event-stream" {
		t.Fatalf("stream = %d %s %.300s", w.Code, kind, w.Body)
	}
	for _, frame := range strings.Split(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n") {
		name := ""
		if head, rest, ok := strings.Cut(frame, "\n"); ok {
			name, frame = strings.TrimPrefix(head, "event: "), rest
		}
		text := strings.TrimPrefix(frame, "data: ")
		if done = text == "[DONE]"; done {
			continue
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		names, data = append(names, name), append(data, object)
	}
	return names, data, done
}

const (
	weatherTool = `"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object",` +
		`"properties":{"city":{"type":"string"}},"required":["city"]}}}]`
	flatTool = `"tools":[{"type":"function","name":"get_weather","strict":true,"parameters":{"type":"object",` +
		`"properties":{"city":{"type":"string"}},"required":["city"]}}]`
	chatHello = `{"model":"stoa-script","messages":[{"role":"system","content":"Be brief."},` +
		`{"role":"user","content":[{"type":"text","text":"Hello"}]}]`
)

// TestChat answers chat completions on both addresses, as a whole and in a stream.
func TestChat(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		for _, base := range []string{"/v1", "/v1beta/openai"} {
			answer := c.wantBearer(200, "POST", base+"/chat/completions", chatHello+`}`)
			text, _ := dig(answer, "choices", 0, "message", "content").(string)
			if answer["object"] != "chat.completion" || text == "" ||
				dig(answer, "choices", 0, "finish_reason") != "stop" || dig(answer, "usage", "total_tokens").(float64) < 2 ||
				!strings.HasPrefix(answer["model"].(string), "stoa-script") {
				t.Errorf("answer: %v", answer)
			}
			_, chunks, done := events(t, c.bearer("POST", base+"/chat/completions",
				chatHello+`,"stream":true,"stream_options":{"include_usage":true}}`))
			streamed := ""
			for _, chunk := range chunks {
				piece, _ := dig(chunk, "choices", 0, "delta", "content").(string)
				streamed += piece
			}
			last := chunks[len(chunks)-1]
			if streamed != text || !done || dig(chunks[0], "choices", 0, "delta", "role") != "assistant" ||
				dig(last, "usage", "total_tokens") != dig(answer, "usage", "total_tokens") ||
				len(last["choices"].([]any)) != 0 {
				t.Errorf("streamed %q done=%v last=%v, want %q", streamed, done, last, text)
			}
		}
	})
}

// TestChatTools calls a function, and reads what it answered.
func TestChatTools(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "ada")
	ask := `{"model":"stoa-script","messages":[{"role":"user","content":"Rome"}],"tool_choice":"required",` + weatherTool
	answer := c.wantBearer(200, "POST", "/v1/chat/completions", ask+`}`)
	call := dig(answer, "choices", 0, "message", "tool_calls", 0)
	if dig(call, "function", "name") != "get_weather" || dig(answer, "choices", 0, "finish_reason") != "tool_calls" ||
		dig(call, "index") != nil {
		t.Fatalf("answer: %v", answer)
	}
	var args map[string]any
	written, _ := dig(call, "function", "arguments").(string)
	if err := json.Unmarshal([]byte(written), &args); err != nil || args["city"] == nil {
		t.Errorf("arguments: %v, %v", call, err)
	}
	raw, err := json.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	next := `{"model":"stoa-script","messages":[{"role":"user","content":"Rome"},{"role":"assistant","content":null,` +
		`"tool_calls":[` + string(raw) + `]},{"role":"tool","tool_call_id":"` + dig(call, "id").(string) +
		`","content":"sunny"}],` + weatherTool + `}`
	after := c.wantBearer(200, "POST", "/v1/chat/completions", next)
	if text, _ := dig(after, "choices", 0, "message", "content").(string); !strings.Contains(text, "sunny") {
		t.Errorf("the result is not read: %v", after)
	}
	_, chunks, _ := events(t, c.bearer("POST", "/v1/chat/completions", ask+`,"stream":true}`))
	found := slices.ContainsFunc(chunks, func(chunk map[string]any) bool {
		return dig(chunk, "choices", 0, "delta", "tool_calls", 0, "index") == 0.0
	})
	if !found {
		t.Errorf("no call in the stream: %v", chunks)
	}
}

// TestChatFormat holds an answer to a schema.
func TestChatFormat(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "ada")
	answer := c.wantBearer(200, "POST", "/v1/chat/completions", chatHello+`,"response_format":{"type":"json_schema",`+
		`"json_schema":{"name":"a","strict":true,"schema":{"type":"object","properties":{"age":{"type":"integer"}},`+
		`"required":["age"],"additionalProperties":false}}}}`)
	var value map[string]any
	text, _ := dig(answer, "choices", 0, "message", "content").(string)
	if err := json.Unmarshal([]byte(text), &value); err != nil || value["age"] == nil {
		t.Errorf("%q: %v", text, err)
	}
}

// TestResponses answers in the newer API of the other form.
func TestResponses(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		ask := `{"model":"stoa-script","instructions":"Be brief.","input":"Hello"`
		answer := c.wantBearer(200, "POST", "/v1/responses", ask+`}`)
		text, _ := dig(answer, "output", 0, "content", 0, "text").(string)
		if text == "" || answer["status"] != "completed" || dig(answer, "usage", "output_tokens").(float64) < 1 {
			t.Fatalf("answer: %v", answer)
		}
		names, data, _ := events(t, c.bearer("POST", "/v1beta/openai/responses", ask+`,"stream":true}`))
		streamed := ""
		for i, name := range names {
			if data[i]["type"] != name || data[i]["sequence_number"] != float64(i) {
				t.Errorf("event %d %s: %v", i, name, data[i])
			}
			if name == "response.output_text.delta" {
				streamed += data[i]["delta"].(string)
			}
		}
		last := data[len(data)-1]
		if streamed != text || names[0] != "response.created" || names[len(names)-1] != "response.completed" ||
			dig(last, "response", "output", 0, "content", 0, "text") != text {
			t.Errorf("streamed %q, want %q; events %v", streamed, text, names)
		}
		called := c.wantBearer(200, "POST", "/v1/responses", ask+`,"tool_choice":"required",`+flatTool+`}`)
		call := dig(called, "output", 0)
		if dig(call, "type") != "function_call" || dig(call, "name") != "get_weather" {
			t.Fatalf("no call: %v", called)
		}
		after := c.wantBearer(200, "POST", "/v1/responses", `{"model":"stoa-script","input":[{"role":"user",`+
			`"content":"Rome"},{"type":"function_call","call_id":"c1","name":"get_weather","arguments":"{}"},`+
			`{"type":"function_call_output","call_id":"c1","output":"sunny"}],`+flatTool+`}`)
		if text, _ := dig(after, "output", 0, "content", 0, "text").(string); !strings.Contains(text, "sunny") {
			t.Errorf("the result is not read: %v", after)
		}
		short := c.wantBearer(200, "POST", "/v1/responses", ask+`,"max_output_tokens":1}`)
		if short["status"] != "incomplete" || dig(short, "incomplete_details", "reason") != "max_output_tokens" {
			t.Errorf("cut off: %v", short)
		}
	})
}

// TestOpenAIEmbeddings takes texts and tokens, and answers in both encodings.
func TestOpenAIEmbeddings(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "ada")
	embed := func(members string) map[string]any {
		return c.wantBearer(200, "POST", "/v1/embeddings", `{"model":"text-embedding-3-small",`+members+`}`)
	}
	answer := embed(`"input":["hello world","bye"],"dimensions":8`)
	vector, _ := dig(answer, "data", 1, "embedding").([]any)
	if len(vector) != 8 || dig(answer, "data", 1, "index") != 1.0 || dig(answer, "usage", "prompt_tokens") != 3.0 ||
		!strings.Contains(answer["model"].(string), "hashed n-grams") {
		t.Errorf("answer: %v", answer)
	}
	tokens, text := embed(`"input":[[15339,1917]]`), embed(`"input":"hello world"`)
	if a, b := dig(tokens, "data", 0), dig(text, "data", 0); a == nil || len(a.(map[string]any)) != 3 ||
		dig(a, "embedding", 5) != dig(b, "embedding", 5) {
		t.Error("tokens and their text differ")
	}
	if s, _ := dig(embed(`"input":"x","encoding_format":"base64"`), "data", 0, "embedding").(string); len(s) != 4096 {
		t.Errorf("base64 has %d characters, want 768 numbers in 4096", len(s))
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = `"a"`
	}
	if n := len(embed(`"input":[` + strings.Join(many, ",") + `]`)["data"].([]any)); n != 101 {
		t.Errorf("%d vectors, want 101", n)
	}
}

// TestModelsInTwoForms tells the two forms apart where they share an address.
func TestModelsInTwoForms(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "ada")
	for _, target := range []string{"/v1/models", "/v1beta/openai/models"} {
		if list := c.wantBearer(200, "GET", target, ""); dig(list, "data", 0, "id") != "stoa-script" {
			t.Errorf("%s: %v", target, list)
		}
	}
	if one := c.wantBearer(200, "GET", "/v1/models/gpt-4o-mini", ""); one["id"] != "gpt-4o-mini" ||
		one["owned_by"] != "stoa-script" {
		t.Errorf("model: %v", one)
	}
	for _, version := range []string{"/v1", "/v1alpha"} {
		if list := c.want(200, "GET", version+"/models", ""); dig(list, "models", 0, "name") != "models/stoa-script" {
			t.Errorf("%s: %v", version, list)
		}
		c.want(200, "POST", version+"/models/stoa-script:generateContent", hello(""))
	}
	for _, stored := range []string{"/v1alpha/files", "/v1/files", "/v1/cachedContents"} {
		c.want(200, "GET", stored, "")
	}
	c.wantBearer(404, "GET", "/v1/files", "") // the other form stores none
	if made := c.want(200, "POST", "/upload/v1/files?uploadType=media", "x"); dig(made, "file", "name") == nil {
		t.Errorf("uploaded: %v", made)
	}
}

// TestReturnedAnswer sends an answer back as libraries do, with members of their own.
func TestReturnedAnswer(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "ada")
	const before = `{"model":"stoa-script","messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,`
	const call = `"tool_calls":[{"id":"a","type":"function","provider_specific_fields":{},` +
		`"function":{"name":"f","arguments":"{}","provider_specific_fields":{}}}]`
	const after = `},{"role":"tool","tool_call_id":"a","content":"{\"sky\":1}"}]}`
	c.wantBearer(200, "POST", "/v1/chat/completions",
		before+call+`,"function_call":null,"provider_specific_fields":{"refusal":null}`+after)
	c.wantBearer(400, "POST", "/v1/chat/completions", before+call+`,"function_call":{"name":"f","arguments":"{}"}`+after)
}

// TestOpenAIRefusals names the member in the words of this form.
func TestOpenAIRefusals(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "ada")
	for _, row := range []struct {
		target, body, param, code string
		status                    int
	}{
		{"/v1/chat/completions", `{"model":"none","messages":[{"role":"user","content":"x"}]}`, "model", "model_not_found", 404},
		{"/v1/chat/completions", `{"model":"stoa-script","messages":[]}`, "messages", "", 400},
		{"/v1/chat/completions", `{"model":"stoa-script","messages":[{"role":"cat","content":"x"}]}`, "messages[0].role", "", 400},
		{"/v1/chat/completions", chatHello + `,"temperature":3}`, "temperature", "", 400},
		{"/v1/chat/completions", chatHello + `,"n":9}`, "n", "", 400},
		{"/v1/chat/completions", chatHello + `,"wings":2}`, "wings", "", 400},
		{"/v1/chat/completions", chatHello + `,"logit_bias":{"5":1}}`, "logit_bias", "", 400},
		{"/v1/chat/completions", chatHello + `,"tools":[{"type":"function","function":{"name":"1x"}}]}`, "tools[0].name", "", 400},
		{"/v1/responses", `{"model":"stoa-script","input":"x","previous_response_id":"y"}`, "previous_response_id", "", 400},
		{"/v1/responses", `{"model":"stoa-script","input":"x","max_output_tokens":0}`, "max_output_tokens", "", 400},
		{"/v1/embeddings", `{"model":"stoa-script-embedding","input":[]}`, "input", "", 400},
		{"/v1/embeddings", `{"model":"stoa-script-embedding","input":"x","dimensions":5000}`, "dimensions", "", 400},
		{"/v1/images/generations", `{}`, "", "unknown_url", 404},
	} {
		e := dig(c.wantBearer(row.status, "POST", row.target, row.body), "error")
		param, _ := dig(e, "param").(string)
		code, _ := dig(e, "code").(string)
		if param != row.param || code != row.code || dig(e, "type") != "invalid_request_error" {
			t.Errorf("%s %s: %v, want param %q and code %q", row.target, row.body, e, row.param, row.code)
		}
		if message, _ := dig(e, "message").(string); len(message) < 10 {
			t.Errorf("%s %s: message %q says nothing", row.target, row.body, message)
		}
	}
	w := c.h.Call("POST", "/v1/chat/completions", chatHello+"}", "Authorization: Bearer wrong",
		"Content-Type: application/json")
	if !strings.Contains(w.Body.String(), `"invalid_api_key"`) || w.Code != 401 {
		t.Errorf("a wrong key: %d %s", w.Code, w.Body)
	}
}
