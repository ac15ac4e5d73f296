package generate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate"
)

func build(c generate.Config) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		return generate.New(w, identity, c, func(string) string { return "" }).Module()
	}
}

// client calls the service with one user's key.
type client struct {
	t   *testing.T
	h   *identitytest.Server
	key string
}

func newClient(t *testing.T, h *identitytest.Server, user string) client {
	t.Helper()
	h.User(user)
	return client{t, h, h.Key(user, identity.KindAPI, 0)}
}

func on(t *testing.T, c generate.Config, fn func(t *testing.T, c client)) {
	t.Helper()
	identitytest.Run(t, build(c), func(t *testing.T, h *identitytest.Server) { fn(t, newClient(t, h, "ada")) })
}

func (c client) call(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.h.Call(method, target, body, append(headers, "X-Vendor-Api-Key: "+c.key, "Content-Type: application/json")...)
}

// want is a call that must answer the status; it returns the body.
func (c client) want(status int, method, target, body string, headers ...string) map[string]any {
	c.t.Helper()
	w := c.call(method, target, body, headers...)
	if w.Code != status {
		c.t.Fatalf("%s %s %.300s = %d %.300s, want %d", method, target, body, w.Code, w.Body, status)
	}
	var out map[string]any
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			c.t.Fatalf("%s: %v", w.Body, err)
		}
	}
	return out
}

const script = "/v1beta/models/stoa-script:"

func hello(members string) string {
	return `{"contents":[{"parts":[{"text":"Hello"}]}]` + members + `}`
}

// dig walks into members and elements.
func dig(v any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			list, _ := v.([]any)
			if s >= len(list) {
				return nil
			}
			v = list[s]
		}
	}
	return v
}

// TestRefusals sends every kind of wrong member; each is refused with its field.
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(generate.DefaultConfig()))
	c := newClient(t, h, "ada")
	for body, field := range map[string]string{
		`{`:                              "",
		`[]`:                             "",
		`{"contents":"x"}`:               "contents",
		`{"contents":[{"parts":[]}]}`:    "contents[0].parts",
		`{"contents":[{"parts":[{}]}]}`:  "contents[0].parts[0]",
		hello(`,"model":"models/other"`): "model",
		hello(`,"generationConfig":{"temperature":2.1}`):                                                                                "generation_config.temperature",
		hello(`,"generationConfig":{"topP":-0.1}`):                                                                                      "generation_config.top_p",
		hello(`,"generationConfig":{"topK":0}`):                                                                                         "generation_config.top_k",
		hello(`,"generationConfig":{"candidateCount":9}`):                                                                               "generation_config.candidate_count",
		hello(`,"generationConfig":{"maxOutputTokens":0}`):                                                                              "generation_config.max_output_tokens",
		hello(`,"generationConfig":{"stopSequences":["1","2","3","4","5","6"]}`):                                                        "generation_config.stop_sequences",
		hello(`,"generationConfig":{"logprobs":3}`):                                                                                     "generation_config.logprobs",
		hello(`,"generationConfig":{"presencePenalty":3}`):                                                                              "generation_config.presence_penalty",
		hello(`,"generationConfig":{"responseMimeType":"text/html"}`):                                                                   "generation_config.response_mime_type",
		hello(`,"generationConfig":{"responseSchema":{"type":"STRING"}}`):                                                               "generation_config.response_mime_type",
		hello(`,"generationConfig":{"responseModalities":["IMAGE"]}`):                                                                   "generation_config.response_modalities",
		hello(`,"generationConfig":{"speechConfig":{"languageCode":"de"}}`):                                                             "generation_config.speech_config",
		hello(`,"generationConfig":{"imageConfig":{"aspectRatio":"1:1"}}`):                                                              "generation_config.image_config",
		hello(`,"generationConfig":{"thinkingConfig":{"thinkingLevel":"DEEP"}}`):                                                        "generation_config.thinking_config.thinking_level",
		hello(`,"generationConfig":{"wings":2}`):                                                                                        "wings",
		hello(`,"tools":[{"googleSearch":{}}]`):                                                                                         "tools[0].google_search",
		hello(`,"tools":[{"functionDeclarations":[{"name":"1x"}]}]`):                                                                    "tools[0].function_declarations[0].name",
		hello(`,"tools":[{"functionDeclarations":[{"name":"f"},{"name":"f"}]}]`):                                                        "tools[0].function_declarations[1].name",
		hello(`,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`):                                                                 "tool_config.function_calling_config.mode",
		hello(`,"tools":[{"codeExecution":{"a":1}}]`):                                                                                   "tools[0].code_execution",
		hello(`,"tools":[{"codeExecution":[]}]`):                                                                                        "tools[0].code_execution",
		`{"contents":[{"parts":[{"functionCall":{"name":"f","args":5}}]}]}`:                                                             "contents[0].parts[0].function_call.args",
		hello(`,"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"a":null}}}`): "generation_config.response_schema.properties.a",
		hello(`,"generationConfig":{"responseMimeType":"application/json","responseSchema":{"anyOf":[null]}}`):                          "generation_config.response_schema.any_of[0]",
		hello(`,"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"STRING","minLength":"999999999"}}`): "generation_config.response_schema",
		hello(`,"serviceTier":"gold"`):                                                                                                  "service_tier",
		hello(`,"cachedContent":"x"`):                                                                                                   "cached_content",
		hello(`,"safetySettings":[{"category":"HARM_CATEGORY_MEDICAL"}]`):                                                               "safety_settings[0].category",
		`{"contents":[{"parts":[{"fileData":{"fileUri":"https://example.com"}}]}]}`:                                                     "file_data.file_uri",
	} {
		answer := c.want(400, "POST", script+"generateContent", body)
		if got, _ := dig(answer, "error", "details", 0, "fieldViolations", 0, "field").(string); got != field {
			t.Errorf("%s: field %q, want %q (%v)", body, got, field, dig(answer, "error", "message"))
		}
		if dig(answer, "error", "status") != "INVALID_ARGUMENT" || dig(answer, "error", "code") != 400.0 {
			t.Errorf("%s: error %v", body, answer["error"])
		}
	}
}

// TestHonoured sends the members that change an answer.
func TestHonoured(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(generate.DefaultConfig()))
	c := newClient(t, h, "ada")
	answer := func(body string) any {
		return dig(c.want(200, "POST", script+"generateContent", body), "candidates", 0)
	}
	say := func(s, config string) string {
		return `{"contents":[{"parts":[{"text":` + fmt.Sprintf("%q", "repeat: "+s) + `}]}],"generation_config":{` + config + `}}`
	}
	if got := dig(answer(say("one, two, three", `"stop_sequences":[", th"]`)), "content", "parts", 0, "text"); got != "one, two" {
		t.Errorf("stop sequence: got %q", got)
	}
	cut := answer(say("one, two, three", `"max_output_tokens":2`))
	if dig(cut, "content", "parts", 0, "text") != "one," || dig(cut, "finishReason") != "MAX_TOKENS" {
		t.Errorf("token limit: got %v", cut)
	}
	logged := answer(say("one two", `"response_logprobs":true,"logprobs":2`))
	if chosen, _ := dig(logged, "logprobsResult", "chosenCandidates").([]any); len(chosen) != 2 ||
		dig(logged, "avgLogprobs") != 0.0 {
		t.Errorf("logprobs: got %v", logged)
	}
	thoughts := c.want(200, "POST", script+"generateContent", say("x", `"thinking_config":{"include_thoughts":true}`))
	if dig(thoughts, "candidates", 0, "content", "parts", 0, "thought") != true ||
		dig(thoughts, "usageMetadata", "thoughtsTokenCount") == 0.0 {
		t.Errorf("thoughts: got %v", thoughts)
	}
	var value map[string]any
	schema := `"response_mime_type":"application/json","response_schema":{"type":"object","properties":{"user_name":{"type":"string"},"n":{"type":"integer","minimum":3}},"property_ordering":["user_name","n"]}`
	if err := json.Unmarshal([]byte(dig(answer(say("x", schema)), "content", "parts", 0, "text").(string)),
		&value); err != nil || value["n"] != 3.0 || value["user_name"] == nil {
		t.Errorf("schema: got %v, %v", value, err)
	}
	if got := dig(answer(say("x", `"response_mime_type":"text/x.enum","response_schema":{"type":"STRING","enum":["red","blue"]}`)), "content", "parts", 0, "text"); got != "red" {
		t.Errorf("enum: got %v", got)
	}
	result := answer(`{"contents":[{"parts":[{"function_response":{"name":"f","response":{"snake_key":1}}}]}]}`)
	if got := dig(result, "content", "parts", 0, "text").(string); !strings.Contains(got, "snake_key") {
		t.Errorf("function response: got %q", got)
	}
	// A member that is null is not there.
	c.want(200, "POST", script+"generateContent", hello(`,"tools":[{"codeExecution": { },"urlContext":null}],"toolConfig":null,
		"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"STRING"},"responseJsonSchema":null,"speechConfig":null}`))
	c.want(200, "POST", script+"generateContent", `{"contents":[{"parts":[{"functionResponse":{"name":"f","response":null}}]}]}`)
	// Numbers stand for enum words, as generated clients send them.
	c.want(200, "POST", script+"generateContent", hello(`,"safetySettings":[{"category":7,"threshold":3}]`))
}

func TestStreamForms(t *testing.T) {
	t.Parallel()
	rules := t.TempDir() + "/rules.yaml"
	writeFile(t, rules, `
rules:
  - {name: breaks, when: {text: break}, reply: {text: "one two three four five six seven", chunk_tokens: 2, error: {status: UNAVAILABLE, message: gone}, error_after: 2}}
  - {name: refuses, when: {text: refuse}, reply: {error: {status: RESOURCE_EXHAUSTED, message: later}}}
  - {name: blocks, when: {text: block}, reply: {block: PROHIBITED_CONTENT}}
  - {name: harms, when: {text: harm}, reply: {text: "well then stoa-test-dangerous-high it is", chunk_tokens: 1}}
`)
	config := generate.DefaultConfig()
	config.Script = rules
	h := identitytest.SQLite(t, build(config))
	c := newClient(t, h, "ada")
	ask := func(query, text string) *httptest.ResponseRecorder {
		return c.call("POST", script+"streamGenerateContent"+query, `{"contents":[{"parts":[{"text":"`+text+`"}]}]}`)
	}
	var list []map[string]any
	array := ask("", "Hello")
	if err := json.Unmarshal(array.Body.Bytes(), &list); err != nil || len(list) < 3 ||
		array.Header().Get("Content-Type") != "application/json; charset=UTF-8" {
		t.Fatalf("array: %v %s", err, array.Body)
	}
	for i, chunk := range list {
		if finish := dig(chunk, "candidates", 0, "finishReason"); (finish != nil) != (i == len(list)-1) {
			t.Errorf("chunk %d of %d has finishReason %v", i, len(list), finish)
		}
		if chunk["responseId"] != list[0]["responseId"] {
			t.Errorf("chunk %d has another responseId", i)
		}
	}
	if got := dig(list[len(list)-1], "usageMetadata", "totalTokenCount"); got == nil || got == 0.0 {
		t.Errorf("usage of the last chunk: %v", got)
	}
	list = nil
	if broken := ask("", "break"); broken.Code != 200 || json.Unmarshal(broken.Body.Bytes(), &list) != nil ||
		len(list) != 3 || dig(list[2], "error", "status") != "UNAVAILABLE" {
		t.Errorf("array that breaks: %d %s", broken.Code, broken.Body)
	}
	if broken := ask("?alt=sse", "break").Body.String(); strings.Count(broken, "data: ") != 3 || !strings.Contains(broken, `data: {"error":{"code":503,"message":"gone","status":"UNAVAILABLE"}}`) {
		t.Errorf("events that break: %s", broken)
	}
	list = nil
	if early := ask("", "refuse"); early.Code != 429 || json.Unmarshal(early.Body.Bytes(), &list) != nil ||
		dig(list[0], "error", "status") != "RESOURCE_EXHAUSTED" {
		t.Errorf("array refused before it began: %d %s", early.Code, early.Body)
	}
	if early := ask("?alt=sse", "refuse"); early.Code != 429 || !strings.HasPrefix(early.Body.String(), `{"error"`) {
		t.Errorf("events refused before they began: %d %s", early.Code, early.Body)
	}
	if blocked := c.want(200, "POST", script+"generateContent", `{"contents":[{"parts":[{"text":"block"}]}]}`); dig(blocked, "promptFeedback", "blockReason") != "PROHIBITED_CONTENT" || blocked["candidates"] != nil {
		t.Errorf("blocked: %v", blocked)
	}
	harm := c.want(200, "POST", script+"generateContent", `{"contents":[{"parts":[{"text":"harm"}]}]}`)
	if dig(harm, "candidates", 0, "finishReason") != "SAFETY" || dig(harm, "candidates", 0, "content") != nil {
		t.Errorf("harmful candidate: %v", harm)
	}
	if stream := ask("?alt=sse", "harm").Body.String(); !strings.Contains(stream, `"finishReason":"SAFETY"`) || strings.Contains(stream, "it is") {
		t.Errorf("harmful stream: %s", stream)
	}
	if bad := ask("?alt=xml", "Hello"); bad.Code != 400 {
		t.Errorf("alt=xml: %d", bad.Code)
	}
}

func TestCaches(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MinCacheTokens, config.MaxStorageBytes = 5, 2000
	on(t, config, func(t *testing.T, c client) {
		content := `"model":"models/stoa-script","contents":[{"parts":[{"text":"one two three four five six"}]}]`
		c.want(400, "POST", "/v1beta/cachedContents", `{"model":"models/stoa-script","contents":[{"parts":[{"text":"x"}]}]}`)
		c.want(400, "POST", "/v1beta/cachedContents", `{`+content+`,"ttl":"300s","expireTime":"2030-01-01T00:00:00Z"}`)
		c.want(400, "POST", "/v1beta/cachedContents", `{`+content+`,"ttl":"soon"}`)
		made := c.want(200, "POST", "/v1beta/cachedContents", `{`+content+`,"system_instruction":{"parts":[{"text":"Be kind."}]},"ttl":"300s"}`)
		name := made["name"].(string)
		if made["contents"] != nil || dig(made, "usageMetadata", "totalTokenCount") == nil {
			t.Errorf("cache: %v", made)
		}
		use := hello(`,"cachedContent":"` + name + `"`)
		counted := c.want(200, "POST", script+"countTokens", `{"generateContentRequest":{"model":"models/stoa-script",`+use[1:]+`}`)
		if counted["totalTokens"].(float64) <= counted["cachedContentTokenCount"].(float64) {
			t.Errorf("countTokens: %v", counted)
		}
		c.want(400, "POST", script+"generateContent", hello(`,"cachedContent":"`+name+`","systemInstruction":{"parts":[{"text":"x"}]}`))
		c.want(400, "POST", "/v1beta/models/model-x:generateContent", use)
		newClient(t, c.h, "bob").want(403, "GET", "/v1beta/"+name, "")
		c.want(400, "PATCH", "/v1beta/"+name+"?updateMask=model", `{"ttl":"600s"}`)
		c.want(400, "PATCH", "/v1beta/"+name+"?update_mask=model", `{"ttl":"600s"}`)
		c.want(400, "PATCH", "/v1beta/"+name, `{"model":"models/x"}`)
		renewed := c.want(200, "PATCH", "/v1beta/"+name+"?updateMask=ttl", `{"ttl":"600s"}`)
		if renewed["expireTime"] == made["expireTime"] {
			t.Errorf("renewed: %v", renewed)
		}
		if list := c.want(200, "GET", "/v1beta/cachedContents", ""); len(list["cachedContents"].([]any)) != 1 {
			t.Errorf("list: %v", list)
		}
		c.h.Clock.Advance(10 * time.Minute)
		c.want(403, "POST", script+"generateContent", use)
		second := c.want(200, "POST", "/v1beta/cachedContents", `{`+content+`}`)["name"].(string)
		c.want(429, "POST", "/v1beta/cachedContents", `{"model":"models/stoa-script","contents":[{"parts":[{"text":"`+strings.Repeat("word ", 400)+`"}]}]}`)
		c.want(200, "DELETE", "/v1beta/"+second, "")
		c.want(403, "GET", "/v1beta/"+second, "")
	})
}

func TestModelsAndEmbeddings(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(generate.DefaultConfig()))
	c := newClient(t, h, "ada")
	page := c.want(200, "GET", "/v1beta/models?pageSize=1", "")
	rest := c.want(200, "GET", "/v1beta/models?pageSize=1&pageToken="+url.QueryEscape(page["nextPageToken"].(string)), "")
	if dig(page, "models", 0, "name") != "models/stoa-script" ||
		dig(rest, "models", 0, "name") != "models/stoa-script-embedding" {
		t.Errorf("models: %v, %v", page, rest)
	}
	// A client that writes page_size writes page_token: ignored, it would give the first page for ever.
	token := url.QueryEscape(page["nextPageToken"].(string))
	again := c.want(200, "GET", "/v1beta/models?page_size=1&page_token="+token, "")
	if fmt.Sprint(again) != fmt.Sprint(rest) {
		t.Errorf("with page_token: %v, want %v", again, rest)
	}
	c.want(400, "GET", "/v1beta/models?pageToken=x", "")
	c.want(400, "GET", "/v1beta/models?page_token=x", "")
	c.want(404, "GET", "/v1beta/models/unheard-of", "")
	if m := c.want(200, "GET", "/v1beta/models/model-any", ""); m["baseModelId"] != "stoa-script" {
		t.Errorf("a family's id: %v", m)
	}
	if a := c.want(200, "POST", "/v1beta/models/model-any:generateContent",
		hello("")); !strings.Contains(a["modelVersion"].(string), "script") {
		t.Errorf("modelVersion: %v", a["modelVersion"])
	}
	c.want(404, "POST", "/v1beta/models/stoa-script-embedding:generateContent", hello(""))
	embed := "/v1beta/models/stoa-script-embedding:"
	vector := func(text string) []any {
		return dig(c.want(200, "POST", embed+"embedContent", `{"content":{"parts":[{"text":"`+text+`"}]}}`), "embedding", "values").([]any)
	}
	sea, ocean, tax := vector("the wide blue sea at night"), vector("the wide blue sea by day"),
		vector("tax forms for small firms")
	if dot(sea, ocean) <= dot(sea, tax) || len(sea) != 768 {
		t.Errorf("near %f, far %f", dot(sea, ocean), dot(sea, tax))
	}
	batch := c.want(200, "POST", embed+"batchEmbedContents", `{"requests":[{"model":"models/stoa-script-embedding","content":{"parts":[{"text":"a"}]},"taskType":"RETRIEVAL_DOCUMENT","title":"t","outputDimensionality":8},{"content":{"parts":[{"text":"b"}]}}]}`)
	if len(dig(batch, "embeddings", 0, "values").([]any)) != 8 ||
		len(dig(batch, "embeddings", 1, "values").([]any)) != 768 {
		t.Errorf("batch: %v", batch)
	}
	for _, body := range []string{
		`{"requests":[]}`, `{"requests":[{"model":"models/x","content":{"parts":[{"text":"a"}]}}]}`,
		`{"requests":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}}]}`,
		`{"requests":[{"content":{"parts":[{"text":"a"}]},"title":"t"}]}`, `{"requests":[{"content":{"parts":[{"text":"a"}]},"outputDimensionality":769}]}`,
	} {
		c.want(400, "POST", embed+"batchEmbedContents", body)
	}
}

func dot(a, b []any) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i].(float64) * b[i].(float64)
	}
	return sum
}

// TestLimits fills the budget of one caller on one model.
func TestLimits(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.RequestsPerMinute, config.TokensPerMinute = 3, 1000
	on(t, config, func(t *testing.T, c client) {
		for range 3 {
			c.want(200, "POST", script+"generateContent", hello(""))
		}
		refused := c.call("POST", script+"generateContent", hello(""))
		if refused.Code != 429 || refused.Header().Get("Retry-After") == "" ||
			!bytes.Contains(refused.Body.Bytes(), []byte("RetryInfo")) {
			t.Errorf("beyond the limit: %d %s", refused.Code, refused.Body)
		}
		newClient(t, c.h, "bob").want(200, "POST", script+"generateContent", hello(""))
		c.h.Clock.Advance(time.Minute)
		c.want(200, "POST", script+"generateContent", hello(""))
		c.want(429, "POST", script+"generateContent", hello(`,"systemInstruction":{"parts":[{"text":"`+strings.Repeat("word ", 1001)+`"}]}`))
	})
}

// TestCommands shows operators what was stored and used.
func TestCommands(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		run := func(path string, values map[string][]string) any {
			t.Helper()
			for _, command := range c.h.Module.Commands {
				if command.Path == path {
					out, err := command.Run(t.Context(), &module.Input{Values: values})
					if err != nil {
						t.Fatalf("%s %v: %v", path, values, err)
					}
					return out
				}
			}
			t.Fatalf("there is no command %s", path)
			return nil
		}
		bob := newClient(t, c.h, "bob")
		for range 2 {
			c.want(200, "POST", script+"generateContent", hello(`,"store":true`))
			bob.want(200, "POST", script+"generateContent", hello(`,"store":true`))
		}
		c.want(200, "POST", "/v1beta/models/stoa-script-embedding:embedContent", `{"content":{"parts":[{"text":"one two three"}]}}`)
		for want, values := range map[int]map[string][]string{
			4: {}, 2: {"user": {"bob"}}, 3: {"limit": {"3"}}, 1: {"user": {"ada"}, "before": {"3"}},
		} {
			if got := len(run("generate log", values).(generate.Logged).Entries); got != want {
				t.Errorf("log of %v: got %d entries, want %d", values, got, want)
			}
		}
		used := map[string]int64{}
		for _, row := range run("generate usage", map[string][]string{"user": {"ada"}}).(generate.Used).Rows {
			used[row.Model] += row.PromptTokens // one key, one row
		}
		if used["stoa-script"] != 2 || used["stoa-script-embedding"] != 3 {
			t.Errorf("usage: got %v, want 2 and 3 tokens of the two models", used)
		}
	})
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
