package generate_test

import (
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

// before puts a server in front of a peer at an address.
func before(t *testing.T, address, key string) client {
	t.Helper()
	config := generate.DefaultConfig()
	config.Upstreams = []upstream.Config{{
		Name: "peer", Form: "same", URLs: []string{address + "/v1beta"}, Key: key, Idle: 500 * time.Millisecond,
		FirstByte: 5 * time.Second,
	}}
	config.Models = append(config.Models,
		api.Model{
			ID: "far", Backend: "upstream", Upstream: "peer", UpstreamModel: "stoa-script", InputTokenLimit: 10_000,
			OutputTokenLimit: 1000, Thinking: true,
		},
		api.Model{
			ID: "far-embedding", Backend: "upstream", Upstream: "peer", UpstreamModel: "stoa-script-embedding",
			InputTokenLimit: 1000, Embeddings: true,
		})
	h := identitytest.SQLite(t, build(config))
	t.Cleanup(func() {
		if err := h.Module.Close(); err != nil {
			t.Error(err)
		}
	})
	return newClient(t, h, "ada")
}

const far = "/v1beta/models/far:"

// TestPeer puts one server in front of another: what the second says comes
// through as it is.
func TestPeer(t *testing.T) {
	t.Parallel()
	behind := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "bob")
	server := httptest.NewServer(behind.h.Module.Handler)
	t.Cleanup(server.Close)
	c := before(t, server.URL, behind.key)
	const tools = `,"tools":[{"functionDeclarations":[{"name":"get_weather","parameters":{"type":"OBJECT","properties":{"city":{"type":"STRING"}},"required":["city"]}}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`
	for name, body := range map[string]string{
		"text":      prompt("say one two three", `,"systemInstruction":{"parts":[{"text":"Be kind."}]}`),
		"stop":      prompt("say one, two, three", `,"generationConfig":{"stopSequences":[", th"],"candidateCount":2}`),
		"length":    prompt("say one two three four", `,"generationConfig":{"maxOutputTokens":2}`),
		"schema":    prompt("x", `,"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"n":{"type":"INTEGER","minimum":3}}}}`),
		"functions": prompt("weather", tools),
		"thoughts":  prompt("say x", `,"generationConfig":{"thinkingConfig":{"includeThoughts":true}}`),
		"logprobs":  prompt("say one two", `,"generationConfig":{"responseLogprobs":true,"logprobs":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			direct := behind.want(200, "POST", script+"generateContent", body)
			through := c.want(200, "POST", far+"generateContent", body)
			for _, path := range [][]any{
				{"candidates", 0, "content"},
				{"candidates", 0, "finishReason"},
				{"candidates", 0, "logprobsResult"},
				{"usageMetadata", "candidatesTokenCount"},
				{"usageMetadata", "thoughtsTokenCount"},
			} {
				if name == "stop" && path[0] == "usageMetadata" {
					continue // the second candidate is asked for by itself
				}
				if got, want := dig(through, path...), dig(direct, path...); !same(got, want) {
					t.Errorf("%v = %v, want %v", path, got, want)
				}
			}
		})
	}
	vector := c.want(200, "POST", "/v1beta/models/far-embedding:embedContent", `{"content":{"parts":[{"text":"a b"}]}}`)
	if list, _ := dig(vector, "embedding", "values").([]any); len(list) != 768 {
		t.Errorf("embedding of %d numbers, want 768", len(list))
	}
}

// TestPeerFails breaks a peer in every way; each has its own error.
func TestPeerFails(t *testing.T) {
	t.Parallel()
	const begin = `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Good"}]}}],"usageMetadata":{"promptTokenCount":1}}` + "\n\n"
	for name, row := range map[string]struct {
		answer func(w http.ResponseWriter)
		status int
		say    string
	}{
		"refuses the request": {func(w http.ResponseWriter) { w.WriteHeader(400); io.WriteString(w, `{"error":{"message":"too odd"}}`) }, 400, "too odd"},
		"refuses the key":     {func(w http.ResponseWriter) { w.WriteHeader(403) }, 503, "operator"},
		"is at its limit":     {func(w http.ResponseWriter) { w.WriteHeader(429) }, 429, "limit"},
		"fails":               {func(w http.ResponseWriter) { w.WriteHeader(500) }, 503, "500"},
		"sends garbage":       {func(w http.ResponseWriter) { io.WriteString(w, "data: <html>\n\n") }, 503, "not a chunk"},
		"breaks off":          {func(w http.ResponseWriter) { io.WriteString(w, begin) }, 503, "middle"},
		"fails midway": {func(w http.ResponseWriter) {
			io.WriteString(w, begin+`data: {"error":{"message":"out of breath"}}`+"\n\n")
		}, 503, "out of breath"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var key atomic.Value
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				key.Store(r.Header.Get("X-Vendor-Api-Key"))
				_, _ = io.Copy(io.Discard, r.Body)
				row.answer(w)
			}))
			t.Cleanup(server.Close)
			got := before(t, server.URL, "sesame").want(row.status, "POST", far+"generateContent", prompt("Hi", ""))
			if message, _ := dig(got, "error", "message").(string); !strings.Contains(message, row.say) {
				t.Errorf("message %q, want it to say %q", message, row.say)
			}
			if key.Load() != "sesame" {
				t.Errorf("the key was sent as %q", key.Load())
			}
		})
	}
	stalls := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, begin)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(stalls.Close)
	w := before(t, stalls.URL, "").call("POST", far+"streamGenerateContent?alt=sse", prompt("Hi", ""))
	if body := w.Body.String(); !strings.Contains(body, "Good") || !strings.Contains(body, "DEADLINE_EXCEEDED") {
		t.Errorf("a peer that falls silent: %s", body)
	}
}

func same(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
