package generate_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/engine/enginetest"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/generate"
	"stoa.dev/stoa/internal/service/generate/api"
)

func TestMain(m *testing.M) {
	enginetest.Main()
	os.Exit(m.Run())
}

const here = "/v1beta/models/here:"

// onMachine serves a local model whose engine is the fake.
func onMachine(t *testing.T, change func(*generate.Config)) client {
	t.Helper()
	config := generate.DefaultConfig()
	config.Local.Engine, config.Local.Libraries = enginetest.Program(t), "fake"
	config.Models = append(config.Models,
		api.Model{ID: "here", Backend: "local", Weights: "fake.gguf", InputTokenLimit: 50, OutputTokenLimit: 2000},
		api.Model{
			ID: "here-embedding", Backend: "local", Weights: "fake.gguf", InputTokenLimit: 50, Embeddings: true, Dimensions: 4,
		})
	if change != nil {
		change(&config)
	}
	h := identitytest.SQLite(t, build(config))
	t.Cleanup(func() {
		if err := h.Module.Close(); err != nil {
			t.Error(err)
		}
	})
	return newClient(t, h, "ada")
}

func TestLocalAnswers(t *testing.T) {
	t.Parallel()
	c := onMachine(t, nil)
	answer := c.want(200, "POST", here+"generateContent", prompt("say one two three", ""))
	if dig(answer, "candidates", 0, "content", "parts", 0, "text") != "one two three" ||
		dig(answer, "candidates", 0, "finishReason") != "STOP" {
		t.Errorf("answer: %v", answer)
	}
	// say one two three: four words, and two for the frame of the fake's turn.
	if dig(answer, "usageMetadata", "promptTokenCount") != 6.0 ||
		dig(answer, "usageMetadata", "candidatesTokenCount") != 3.0 {
		t.Errorf("the engine's own counts: %v", answer["usageMetadata"])
	}
	counted := c.want(200, "POST", here+"countTokens", prompt("say one two three", ""))
	if counted["totalTokens"] != 4.0 {
		t.Errorf("countTokens = %v, want the engine's 4", counted)
	}
	if got := c.want(400, "POST", here+"generateContent",
		prompt(strings.Repeat("word ", 51), "")); !strings.Contains(dig(got, "error", "message").(string), "50 tokens") {
		t.Errorf("a long prompt: %v", got)
	}
	short := c.want(200, "POST", here+"generateContent", prompt("say one two three", `,"generationConfig":{"maxOutputTokens":2}`))
	if dig(short, "candidates", 0, "content", "parts", 0, "text") != "one two " ||
		dig(short, "candidates", 0, "finishReason") != "MAX_TOKENS" {
		t.Errorf("two tokens: %v", short)
	}
	stopped := c.want(200, "POST", here+"generateContent", prompt("say one two three", `,"generationConfig":{"stopSequences":["two"],"responseLogprobs":true,"logprobs":1}`))
	if dig(stopped, "candidates", 0, "content", "parts", 0, "text") != "one " ||
		dig(stopped, "candidates", 0, "logprobsResult", "topCandidates", 0, "candidates", 0, "token") != "one " {
		t.Errorf("a stop sequence with probabilities: %v", stopped)
	}
	vector := c.want(200, "POST", "/v1beta/models/here-embedding:embedContent", `{"content":{"parts":[{"text":"a b"}]}}`)
	if list, _ := dig(vector, "embedding", "values").([]any); len(list) != 4 {
		t.Errorf("embedding: %v", vector)
	}
}

// TestLocalPrompt reads back what the engine was asked.
func TestLocalPrompt(t *testing.T) {
	t.Parallel()
	c := onMachine(t, func(c *generate.Config) { c.Models[2].InputTokenLimit = 5000 })
	seen := func(members, contents string) string {
		t.Helper()
		body := `{"contents":[` + contents + `]` + members + `}`
		said, _ := dig(c.want(200, "POST", here+"generateContent", body), "candidates", 0, "content", "parts", 0,
			"text").(string)
		return said
	}
	user := `{"role":"user","parts":[{"text":"Hi"}]}`
	for name, row := range map[string]struct {
		members, contents string
		want              []string
	}{
		"sampling": {
			`,"generationConfig":{"temperature":0.5,"topP":0.25,"topK":3,"seed":7,"presencePenalty":0.5,"frequencyPenalty":0.75,"maxOutputTokens":9}`, user,
			[]string{
				"Temperature:0.5", "TopP:0.25", "TopK:3", "Seed:7", "Presence:0.5", "Frequency:0.75", "MaxTokens:9", "Exact:true",
			},
		},
		"defaults":    {"", user, []string{"Temperature:1", "TopP:0.95", "TopK:64", "Exact:false"}},
		"system":      {`,"systemInstruction":{"parts":[{"text":"Be kind."}]}`, user, []string{"{Role:system Content:Be kind.} {Role:user Content:Hi}"}},
		"roles":       {"", user + `,{"role":"model","parts":[{"text":"Ho"}]},` + user, []string{"{Role:user Content:Hi} {Role:assistant Content:Ho} {Role:user Content:Hi}"}},
		"a text file": {"", `{"parts":[{"inlineData":{"mimeType":"text/plain","data":"Ym9vaw=="}}]}`, []string{"Content:book"}},
		"json":        {`,"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"a":{"type":"INTEGER"}},"required":["a"]}}`, user, []string{`"\"a\"" ws ":" ws integer`, "Answer in JSON that fits this schema"}},
		"an enum":     {`,"generationConfig":{"responseMimeType":"text/x.enum","responseSchema":{"type":"STRING","enum":["yes","no"]}}`, user, []string{`root ::= "yes" | "no"`}},
		"what a function said": {
			"", `{"role":"model","parts":[{"functionCall":{"name":"f","args":{"x":1}}}]},{"parts":[{"functionResponse":{"name":"f","response":{"y":2}}}]}`,
			[]string{`<TOOL_call>{"name": "f", "args": {"x":1}}</TOOL_call>`, `<TOOL_response>{"name": "f", "response": {"y":2}}</TOOL_response>`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			said := seen(row.members, row.contents)
			for _, want := range row.want {
				if !strings.Contains(said, want) {
					t.Errorf("the engine was asked %s, want %s in it", said, want)
				}
			}
		})
	}
}

func TestLocalFunctions(t *testing.T) {
	t.Parallel()
	c := onMachine(t, func(c *generate.Config) { c.Models[2].InputTokenLimit = 5000 })
	const tools = `,"tools":[{"functionDeclarations":[{"name":"get_weather","parameters":{"type":"OBJECT","properties":{"city":{"type":"STRING"}},"required":["city"]}}]}]`
	call := `say Let me see. <tool_call>{\"name\": \"get_weather\", \"args\": {\"city\": \"Rome\"}}</tool_call>`
	answer := c.want(200, "POST", here+"generateContent", prompt(call, tools))
	if dig(answer, "candidates", 0, "content", "parts", 0, "text") != "Let me see. " ||
		dig(answer, "candidates", 0, "content", "parts", 1, "functionCall", "args", "city") != "Rome" {
		t.Errorf("a call after words: %v", answer)
	}
	w := c.call("POST", here+"streamGenerateContent?alt=sse", prompt(call, tools))
	if body := w.Body.String(); strings.Contains(body, "<tool") || !strings.Contains(body, `"functionCall":{"name":"get_weather"`) || !strings.Contains(body, `"text":"Let "`) {
		t.Errorf("streamed: %s", body)
	}
	broken := c.want(200, "POST", here+"generateContent", prompt(call, tools+`,"generationConfig":{"maxOutputTokens":5}`))
	if dig(broken, "candidates", 0, "finishReason") != "MALFORMED_FUNCTION_CALL" {
		t.Errorf("a call without end: %v", broken)
	}
	must := dig(c.want(200, "POST", here+"generateContent", prompt("x", tools+`,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`)), "candidates", 0, "content", "parts", 0, "text").(string)
	if !strings.Contains(must, `root ::= "<TOOL_call>" inner "</TOOL_call>"`) || !strings.Contains(must, `"\"get_weather\""`) || !strings.Contains(must, "Trigger: ") {
		t.Errorf("mode ANY asked for %s", must)
	}
	may := dig(c.want(200, "POST", here+"generateContent", prompt("x", tools)), "candidates", 0, "content", "parts", 0,
		"text").(string)
	if !strings.Contains(may, "Trigger:<TOOL_call>") {
		t.Errorf("mode AUTO asked for %s", may)
	}
	never := dig(c.want(200, "POST", here+"generateContent", prompt("x", tools+`,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`)), "candidates", 0, "content", "parts", 0, "text").(string)
	if strings.Contains(never, "get_weather") {
		t.Errorf("mode NONE asked for %s", never)
	}
}

func TestLocalRefuses(t *testing.T) {
	t.Parallel()
	c := onMachine(t, func(c *generate.Config) { c.Models[2].InputTokenLimit = 5000 })
	for body, want := range map[string]struct {
		status int
		say    string
	}{
		prompt("refuse", ""):                           {400, "too many tokens"},
		prompt("x", `,"tools":[{"codeExecution":{}}]`): {400, "codeExecution"},
		prompt("x", `,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"array","uniqueItems":true}}`): {400, "responseSchema.uniqueItems"},
		prompt("x", `,"generationConfig":{"responseMimeType":"application/json"},"tools":[{"functionDeclarations":[{"name":"f"}]}]`):        {400, "at once"},
		`{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}]}`:                                                  {400, "reads text"},
		prompt("crash", ""): {503, "started again"},
	} {
		got := c.want(want.status, "POST", here+"generateContent", body)
		if message, _ := dig(got, "error", "message").(string); !strings.Contains(message, want.say) {
			t.Errorf("%s: %q, want it to say %q", body, message, want.say)
		}
	}
	c.want(200, "POST", here+"generateContent", prompt("say well", ""))

	none := onMachine(t, func(c *generate.Config) { c.Local.Engine = "/nowhere/engine" })
	if got := none.want(503, "POST", here+"generateContent",
		prompt("x", "")); dig(got, "error", "status") != "UNAVAILABLE" {
		t.Errorf("without an engine: %v", got)
	}
	none.want(200, "POST", script+"generateContent", prompt("the rest goes on", ""))
}

// TestLocalStops ends the generation with its reader, and has a bounded queue.
func TestLocalStops(t *testing.T) {
	t.Parallel()
	c := onMachine(t, func(c *generate.Config) { c.Local.Queue = 1; c.Models[2].OutputTokenLimit = 1 << 20 })
	server := httptest.NewServer(c.h.Module.Handler)
	t.Cleanup(server.Close)
	ctx, leave := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+here+"streamGenerateContent?alt=sse&key="+c.key,
		strings.NewReader(prompt("go on", "")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := response.Body.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	busy := c.call("POST", here+"generateContent", prompt("say late", ""))
	if busy.Code != 429 || !strings.Contains(busy.Body.String(), "RESOURCE_EXHAUSTED") {
		t.Errorf("a second request: %d %s, want 429", busy.Code, busy.Body)
	}
	leave()
	_ = response.Body.Close()
	deadline, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	for c.call("POST", here+"generateContent", prompt("say late", "")).Code != 200 {
		if deadline.Err() != nil {
			t.Fatal("the engine goes on although its reader left")
		}
	}
}

// TestLocalChoosesFunctions calls where the model finds the question likelier after
// a function's words than after those of an answer.
func TestLocalChoosesFunctions(t *testing.T) {
	t.Parallel()
	c := onMachine(t, func(c *generate.Config) { c.Models[2].InputTokenLimit = 5000 })
	const tools = `,"tools":[{"functionDeclarations":[{"name":"get_weather","description":"Tells the weather in a city"},` +
		`{"name":"get_time","description":"Tells the time"}]}]`
	seen := func(body string) string {
		t.Helper()
		said, _ := dig(c.want(200, "POST", here+"generateContent", body), "candidates", 0, "content", "parts", 0,
			"text").(string)
		return said
	}
	called := seen(prompt("weather city tells", tools))
	if !strings.Contains(called, "Call one of these functions.") || strings.Contains(called, "get_time") ||
		!strings.Contains(called, "Trigger: ") {
		t.Errorf("an obvious call: %s", called)
	}
	if plain := seen(prompt("friendly conversation", tools)); !strings.Contains(plain, "otherwise answer in words") {
		t.Errorf("a plain question: %s", plain)
	}
	after := seen(`{"contents":[{"parts":[{"text":"weather city tells"}]},{"role":"model","parts":[{"functionCall":` +
		`{"name":"get_weather"}}]},{"parts":[{"functionResponse":{"name":"get_weather","response":{"sky":"blue"}}}]}]` +
		tools + `}`)
	if !strings.Contains(after, "otherwise answer in words") {
		t.Errorf("after the result: %s", after)
	}
}
