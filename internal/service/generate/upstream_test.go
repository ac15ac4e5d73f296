package generate_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/generate"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/upstream"
)

// stub is a strict server of the OpenAI form whose behaviour follows from the
// last message: it stalls, breaks, sends garbage or refuses.
type stub struct {
	t     *testing.T
	tries atomic.Int64
	// gone is closed when a client has left a stream that would never end.
	gone chan struct{}
	// seen is the last request's body.
	seen atomic.Pointer[map[string]any]
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.tries.Add(1)
	if r.Header.Get("Authorization") != "Bearer sesame" || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, `{"error":{"message":"who are you"}}`, http.StatusUnauthorized)
		return
	}
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, `{"error":{"message":"not JSON"}}`, http.StatusBadRequest)
		return
	}
	s.seen.Store(&body)
	if strings.HasSuffix(r.URL.Path, "/embeddings") {
		fmt.Fprint(w, `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}`)
		return
	}
	messages := body["messages"].([]any)
	said, _ := dig(messages[len(messages)-1], "content").(string)
	flush := http.NewResponseController(w)
	event := func(data string) { fmt.Fprintf(w, "data: %s\n\n", data); _ = flush.Flush() }
	w.Header().Set("Content-Type", "text/event-stream")
	switch {
	case said == "429":
		w.Header().Set("Retry-After", "7")
		http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
	case said == "500", said == "500 once" && n == 1:
		http.Error(w, "oops", http.StatusInternalServerError)
	case said == "400":
		http.Error(w, `{"error":{"message":"context too long"}}`, http.StatusBadRequest)
	case said == "404":
		http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
	case said == "garbage":
		event("{not json")
	case said == "stall":
		<-r.Context().Done()
	case said == "stall midway":
		event(`{"choices":[{"delta":{"content":"one"}}]}`)
		<-r.Context().Done()
		close(s.gone)
	case said == "break midway":
		event(`{"choices":[{"delta":{"content":"one"}}]}`)
		panic(http.ErrAbortHandler)
	case said == "garbage midway":
		event(`{"choices":[{"delta":{"content":"one"}}]}`)
		event(`<html>`)
	case said == "ends early":
		event(`{"choices":[{"delta":{"content":"one"}}]}`)
	case said == "call":
		event(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"get_weather","arguments":"{\"ci"}}]}}]}`)
		event(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ty\":\"Rome\"}"}}]}}]}`)
		event(`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)
		event("[DONE]")
	case said == "bad call":
		event(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{"}}]},"finish_reason":"tool_calls"}]}`)
		event("[DONE]")
	case said == "whole":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"message":{"content":"at once"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`)
	case said == "counts less":
		event(`{"choices":[{"delta":{"content":"one two three four"},"finish_reason":"stop"}]}`)
		event(`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
		event("[DONE]")
	default:
		event(`{"choices":[{"delta":{"role":"assistant"}}]}`)
		event(`{"choices":[{"delta":{"content":"Good "}}]}`)
		event(`{"choices":[{"delta":{"content":"day"},"finish_reason":"length"}]}`)
		event(`{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":2}}`)
		event("[DONE]")
	}
}

// behind serves a model in front of a stub.
func behind(t *testing.T, change func(*upstream.Config)) (*stub, client) {
	t.Helper()
	s := &stub{t: t, gone: make(chan struct{})}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	u := upstream.Config{
		Name: "lab", URLs: []string{server.URL + "/v1"}, Key: "sesame", Retries: 2, Idle: 200 * time.Millisecond,
		FirstByte: 200 * time.Millisecond,
	}
	if change != nil {
		change(&u)
	}
	config := generate.DefaultConfig()
	config.Upstreams = []upstream.Config{u}
	config.Models = append(config.Models,
		api.Model{
			ID: "big", Backend: "upstream", Upstream: "lab", UpstreamModel: "meta", InputTokenLimit: 100_000,
			OutputTokenLimit: 1000,
		},
		api.Model{ID: "vec", Backend: "upstream", Upstream: "lab", InputTokenLimit: 1000, Embeddings: true})
	h := identitytest.SQLite(t, build(config))
	t.Cleanup(func() {
		if err := h.Module.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, newClient(t, h, "ada")
}

const big = "/v1beta/models/big:"

func prompt(text, members string) string {
	return `{"contents":[{"parts":[{"text":"` + text + `"}]}]` + members + `}`
}

func TestUpstreamAnswers(t *testing.T) {
	t.Parallel()
	s, c := behind(t, nil)
	answer := c.want(200, "POST", big+"generateContent", prompt("Hi", `,"systemInstruction":{"parts":[{"text":"Be kind."}]},
		"generationConfig":{"temperature":0.5,"topK":3,"seed":7,"maxOutputTokens":9,"stopSequences":["x"],"responseMimeType":"application/json",
		"responseSchema":{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}}`))
	if dig(answer, "candidates", 0, "content", "parts", 0, "text") != "Good day" ||
		dig(answer, "candidates", 0, "finishReason") != "MAX_TOKENS" {
		t.Errorf("answer: %v", answer)
	}
	if dig(answer, "usageMetadata", "promptTokenCount") != 11.0 ||
		dig(answer, "usageMetadata", "totalTokenCount") != 13.0 {
		t.Errorf("the upstream's own counts: %v", answer["usageMetadata"])
	}
	sent := *s.seen.Load()
	for path, want := range map[string]any{
		"model": "meta", "temperature": 0.5, "top_k": 3.0, "seed": 7.0, "max_tokens": 9.0,
	} {
		if sent[path] != want {
			t.Errorf("%s sent as %v, want %v", path, sent[path], want)
		}
	}
	if dig(sent, "messages", 0, "role") != "system" ||
		dig(sent, "response_format", "json_schema", "schema", "properties", "a", "type") != "string" {
		t.Errorf("sent: %v", sent)
	}
	called := c.want(200, "POST", big+"generateContent", prompt("call", `,"tools":[{"functionDeclarations":[{"name":"get_weather"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`))
	if dig(called, "candidates", 0, "content", "parts", 0, "functionCall", "args", "city") != "Rome" ||
		dig(*s.seen.Load(), "tool_choice") != "required" {
		t.Errorf("call: %v", called)
	}
	c.want(200, "POST", big+"generateContent", `{"contents":[{"role":"model","parts":[{"functionCall":{"id":"c1","name":"get_weather","args":{}}}]},
		{"parts":[{"functionResponse":{"id":"c1","name":"get_weather","response":{"output":"sun"}}}]},
		{"parts":[{"text":"and"},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}]}`)
	if sent = *s.seen.Load(); dig(sent, "messages", 1, "tool_call_id") != "c1" ||
		dig(sent, "messages", 2, "content", 1, "image_url", "url") != "data:image/png;base64,aGk=" {
		t.Errorf("sent: %v", sent)
	}
	if bad := c.want(200, "POST", big+"generateContent", prompt("bad call", `,"tools":[{"functionDeclarations":[{"name":"f"}]}]`)); dig(bad, "candidates", 0, "finishReason") != "MALFORMED_FUNCTION_CALL" {
		t.Errorf("malformed call: %v", bad)
	}
	if whole := c.want(200, "POST", big+"generateContent",
		prompt("whole", "")); dig(whole, "candidates", 0, "content", "parts", 0, "text") != "at once" {
		t.Errorf("a server that does not stream: %v", whole)
	}
	c.want(400, "POST", big+"generateContent", prompt("Hi", `,"tools":[{"codeExecution":{}}]`))
	c.want(400, "POST", big+"generateContent", `{"contents":[{"parts":[{"inlineData":{"mimeType":"audio/wav","data":"aGk="}}]}]}`)
	vectors := c.want(200, "POST", "/v1beta/models/vec:batchEmbedContents", `{"requests":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]}}]}`)
	if dig(vectors, "embeddings", 0, "values", 0) != 1.0 || dig(vectors, "embeddings", 1, "values", 1) != 1.0 {
		t.Errorf("vectors: %v", vectors)
	}
}

// TestUpstreamFailures holds each failure to its error, before the first byte
// and inside a stream, and to the number of tries.
// TestUpstreamCounts gives a server that counts fewer tokens than we did the
// last word, and nowhere a number below zero.
func TestUpstreamCounts(t *testing.T) {
	t.Parallel()
	_, c := behind(t, nil)
	whole := c.want(200, "POST", big+"generateContent", prompt("counts less", ""))
	if got := dig(whole, "candidates", 0, "tokenCount"); got != 1.0 ||
		dig(whole, "usageMetadata", "candidatesTokenCount") != 1.0 {
		t.Errorf("tokenCount %v of usage %v, want 1", got, whole["usageMetadata"])
	}
	if stream := c.call("POST", big+"streamGenerateContent?alt=sse", prompt("counts less", "")).Body.String(); strings.Contains(stream, ":-") || !strings.Contains(stream, `"candidatesTokenCount":1,`) {
		t.Errorf("stream: %s", stream)
	}
}

func TestUpstreamFailures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text   string
		status int
		word   string
		tries  int64
		inside bool
	}{
		{"429", 429, "RESOURCE_EXHAUSTED", 3, false},
		{"500", 503, "UNAVAILABLE", 3, false},
		{"400", 400, "INVALID_ARGUMENT", 1, false},
		{"404", 503, "UNAVAILABLE", 1, false},
		{"garbage", 503, "UNAVAILABLE", 3, false},
		{"stall", 504, "DEADLINE_EXCEEDED", 3, false},
		{"break midway", 503, "UNAVAILABLE", 1, true},
		{"garbage midway", 503, "UNAVAILABLE", 1, true},
		{"ends early", 503, "UNAVAILABLE", 1, true},
		{"stall midway", 504, "DEADLINE_EXCEEDED", 1, true},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			s, c := behind(t, nil)
			w := c.call("POST", big+"streamGenerateContent?alt=sse", prompt(tc.text, ""))
			if got := s.tries.Load(); got != tc.tries {
				t.Errorf("tries: got %d, want %d", got, tc.tries)
			}
			if tc.inside {
				if w.Code != 200 || !strings.Contains(w.Body.String(), `"text":"one"`) || !strings.Contains(w.Body.String(), `data: {"error":{"code":`+fmt.Sprint(tc.status)) || !strings.Contains(w.Body.String(), tc.word) {
					t.Errorf("stream: %d %s", w.Code, w.Body)
				}
				return
			}
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.word) {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, tc.status, tc.word)
			}
			if tc.text == "429" && w.Header().Get("Retry-After") != "7" {
				t.Errorf("Retry-After: %q", w.Header().Get("Retry-After"))
			}
		})
	}
}

func TestUpstreamRecovers(t *testing.T) {
	t.Parallel()
	// Nothing stalls here, so a busy machine must not make a slow answer count
	// as a failed try.
	patient := func(u *upstream.Config) { u.FirstByte, u.Idle = time.Minute, time.Minute }
	s, c := behind(t, patient)
	c.want(200, "POST", big+"generateContent", prompt("500 once", ""))
	if got := s.tries.Load(); got != 2 {
		t.Errorf("tries: got %d, want 2", got)
	}
	// An address that does not listen is passed over.
	_, second := behind(t, func(u *upstream.Config) { u.URLs = append([]string{"http://127.0.0.1:1/v1"}, u.URLs...) })
	for range 4 {
		second.want(200, "POST", big+"generateContent", prompt("Hi", ""))
	}
	if err := second.h.Module.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	_, dead := behind(t, func(u *upstream.Config) { u.URLs = []string{"http://127.0.0.1:1/v1"} })
	dead.want(503, "POST", big+"generateContent", prompt("Hi", ""))
	if err := dead.h.Module.Check(t.Context()); err == nil {
		t.Error("check: an upstream that is not there passed")
	}
}

// TestUpstreamPassesThrough reads the first piece while the upstream still
// waits, then leaves, and the upstream must notice.
func TestUpstreamPassesThrough(t *testing.T) {
	t.Parallel()
	s, c := behind(t, func(u *upstream.Config) { u.Idle = time.Minute })
	server := httptest.NewServer(c.h.Module.Handler)
	t.Cleanup(server.Close)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+big+"streamGenerateContent?alt=sse&key="+c.key,
		strings.NewReader(prompt("stall midway", "")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, `"text":"one"`) {
		t.Fatalf("first event: %q, %v", line, err)
	}
	leave()
	select {
	case <-s.gone:
	case <-time.After(20 * time.Second):
		t.Error("the upstream was not told that the client left")
	}
	_, _ = io.Copy(io.Discard, response.Body)
}
