package conformance_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

const (
	generatePath = "/v1beta/models/stoa-script:generateContent"
	streamPath   = "/v1beta/models/stoa-script:streamGenerateContent"
	helloBody    = `{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}`
)

// models is a caller of service M with its key in the query.
type models struct {
	h   *conformance.Server
	key string
}

func (m models) post(t *testing.T, path, body string, header ...string) *conformance.Answer {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	c := conformance.Call{
		Method: http.MethodPost, Path: path + separator + "key=" + m.key, Body: body, Header: http.Header{},
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		c.Header.Set(name, value)
	}
	return m.h.Do(t, c)
}

func (m models) get(t *testing.T, path string) *conformance.Answer {
	t.Helper()
	return m.h.Do(t, conformance.Call{Path: path + "?key=" + m.key})
}

// ok is a generation that must succeed.
func (m models) ok(t *testing.T, body string) map[string]any {
	t.Helper()
	return m.post(t, generatePath, body).Want(t, http.StatusOK).Object(t)
}

func (m models) refused(t *testing.T, body string) {
	t.Helper()
	answer := m.post(t, generatePath, body).Refused(t).Object(t)
	if conformance.Text(t, answer, "error", "message") == "" || conformance.Text(t, answer, "error", "status") == "" {
		t.Errorf("the refusal of %s says nothing: %v", body, answer)
	}
}

// TestGenerate proves M-01 to M-32.
func TestGenerate(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{})
		h.User(t, "mira")
		m := models{h, h.Key(t, "mira", "generate")}
		generateRequests(t, m)
		generateAnswers(t, m)
		generateFiles(t, m)
		generateEndpoints(t, m)
		t.Run("M-09", func(t *testing.T) { storeOverrides(t, open) })
	})
}

func turn(role, text string) string {
	return fmt.Sprintf(`{"role":%q,"parts":[{"text":%q}]}`, role, text)
}

func generateRequests(t *testing.T, m models) {
	t.Run("M-01", func(t *testing.T) {
		m.ok(t, `{"contents":[`+turn("user", "Hello")+`],"tools":[{"functionDeclarations":[{"name":"f"}]}],
			"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},
			"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_ONLY_HIGH"}],
			"systemInstruction":{"parts":[{"text":"Be brief."}]},"generationConfig":{"temperature":0.2,"maxOutputTokens":50},
			"serviceTier":"standard","store":false}`)
		m.ok(t, `{"contents":[`+turn("user", "Hello")+`],"cachedContent":"`+makeCache(t, m)+`"}`)
		m.refused(t, `{"generationConfig":{}}`)
		m.refused(t, `{"contents":[]}`)
		m.refused(t, `{"contents":[`+turn("user", "Hello")+`],"nonsense":1}`)
	})
	t.Run("M-02", func(t *testing.T) {
		m.ok(t, helloBody)
		m.ok(t, `{"contents":[`+turn("user", "a")+`,`+turn("model", "b")+`,`+turn("user", "c")+`]}`)
	})
	t.Run("M-03", func(t *testing.T) {
		answer := m.ok(t, `{"contents":[`+turn("user", "weather in Rome")+`],"tools":[{"functionDeclarations":[{"name":"get_weather",
			"parameters":{"type":"OBJECT","properties":{"city":{"type":"STRING"}},"required":["city"]}}]}],
			"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["get_weather"]}}}`)
		call := conformance.Sub(t, candidate(t, answer, 0)["content"].(map[string]any)["parts"].([]any)[0].(map[string]any),
			"functionCall")
		if call["name"] != "get_weather" || conformance.Text(t, call, "args", "city") == "" {
			t.Errorf("function call: got %v", call)
		}
		m.ok(t, `{"contents":[`+turn("user", "run it")+`],"tools":[{"codeExecution":{}}]}`)
		m.refused(t, `{"contents":[`+turn("user", "x")+`],"toolConfig":{"functionCallingConfig":{"mode":"SOMETIMES"}}}`)
	})
	t.Run("M-04", func(t *testing.T) {
		m.refused(t, `{"contents":[`+turn("user", "Hello")+`],"safetySettings":[
			{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"},{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}]}`)
		dangerous := `"contents":[` + turn("user", "say stoa-test-dangerous-high") + `]`
		if answer := m.ok(t, `{`+dangerous+`}`); answer["candidates"] != nil {
			t.Errorf("a harmful prompt was answered: %v", answer)
		}
		answer := m.ok(t, `{`+dangerous+`,"safetySettings":[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","threshold":"BLOCK_NONE"}]}`)
		if candidate(t, answer, 0)["finishReason"] != "STOP" {
			t.Errorf("BLOCK_NONE still blocked: %v", answer)
		}
	})
	t.Run("M-05", func(t *testing.T) { m.ok(t, helloBody) })
	t.Run("M-06", func(t *testing.T) {
		for _, c := range []string{"HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT", "HARASSMENT", "CIVIC_INTEGRITY"} {
			m.ok(t, `{"contents":[`+turn("user", "Hello")+`],"safetySettings":[{"category":"HARM_CATEGORY_`+c+`","threshold":"BLOCK_LOW_AND_ABOVE"}]}`)
		}
		m.refused(t, `{"contents":[`+turn("user", "Hello")+`],"safetySettings":[{"category":"HARM_CATEGORY_NONE","threshold":"OFF"}]}`)
	})
	t.Run("M-07", func(t *testing.T) {
		m.ok(t, `{"contents":[`+turn("user", "Hello")+`],"systemInstruction":{"parts":[{"text":"Be brief."}]}}`)
		m.refused(t, `{"contents":[`+turn("user", "Hello")+`],"systemInstruction":{"parts":[{"inline_data":{"mime_type":"image/png","data":"aGk="}}]}}`)
	})
	t.Run("M-08", func(t *testing.T) {
		m.ok(t, `{"contents":[`+turn("user", "Hello")+`],"cachedContent":"`+makeCache(t, m)+`"}`)
		m.refused(t, `{"contents":[`+turn("user", "Hello")+`],"cachedContent":"caches/1"}`)
		m.refused(t, `{"contents":[`+turn("user", "Hello")+`],"cachedContent":"cachedContents/unknown"}`)
	})
	t.Run("M-10", func(t *testing.T) {
		m.ok(t, `{"contents":[`+turn("user", "a")+`,`+turn("model", "b")+`]}`)
		m.refused(t, `{"contents":[`+turn("robot", "a")+`]}`)
	})
	t.Run("M-11", func(t *testing.T) {
		m.ok(t, `{"contents":[{"parts":[{"text":"Hello"}]}]}`)
		m.ok(t, `{"contents":[{"parts":[{"inline_data":{"mime_type":"text/plain","data":"aGVsbG8="}}]}]}`)
		m.ok(t, `{"contents":[{"parts":[{"inlineData":{"mimeType":"text/plain","data":"aGVsbG8"}}]}]}`)
		m.ok(t, `{"contents":[{"parts":[{"file_data":{"mime_type":"text/plain","file_uri":"`+activeFile(t, m)+`"}}]}]}`)
		m.refused(t, `{"contents":[{"parts":[{"text":"a","inline_data":{"mime_type":"text/plain","data":"aGk="}}]}]}`)
		m.refused(t, `{"contents":[{"parts":[{"inline_data":{"mime_type":"text/plain","data":"%%%"}}]}]}`)
	})
}

func candidate(t *testing.T, answer map[string]any, i int) map[string]any {
	t.Helper()
	list, _ := answer["candidates"].([]any)
	if len(list) <= i {
		t.Fatalf("there is no candidate %d in %v", i, answer)
	}
	return list[i].(map[string]any)
}

func makeCache(t *testing.T, m models) string {
	t.Helper()
	body := `{"model":"models/stoa-script","contents":[` + turn("user", strings.Repeat("one two three four ", 300)) + `],"ttl":"600s"}`
	return conformance.Text(t, m.post(t, "/v1beta/cachedContents", body).Want(t, http.StatusOK).Object(t), "name")
}

func generateAnswers(t *testing.T, m models) {
	t.Run("M-12", func(t *testing.T) {
		answer := m.ok(t, helloBody)
		conformance.Only(t, answer, "candidates", "usageMetadata", "modelVersion", "responseId", "modelStatus")
		conformance.Text(t, answer, "modelVersion")
		conformance.Text(t, answer, "responseId")
		conformance.Sub(t, answer, "modelStatus")
	})
	t.Run("M-13", func(t *testing.T) {
		for n := 1; n <= 4; n++ {
			answer := m.ok(t, `{"contents":[`+turn("user", "Hello")+`],"generationConfig":{"candidateCount":`+strconv.Itoa(n)+`}}`)
			if got := len(answer["candidates"].([]any)); got != n {
				t.Errorf("candidates: got %d, want %d", got, n)
			}
		}
		answer := m.ok(t, `{"contents":[`+turn("user", "stoa-test-harassment-high")+`],"generationConfig":{"candidateCount":3}}`)
		if answer["candidates"] != nil || answer["promptFeedback"] == nil {
			t.Errorf("blocked prompt: got %v", answer)
		}
	})
	t.Run("M-14", func(t *testing.T) {
		answer := m.ok(t, `{"contents":[`+turn("user", "Hello")+`],"generationConfig":{"candidateCount":2}}`)
		for i := range 2 {
			c := candidate(t, answer, i)
			if c["finishReason"] != "STOP" || len(c["safetyRatings"].([]any)) != 5 {
				t.Errorf("candidate %d: got %v", i, c)
			}
		}
		cut := candidate(t, m.ok(t, `{"contents":[`+turn("user", "count to ten")+`],"generationConfig":{"maxOutputTokens":3}}`), 0)
		if cut["finishReason"] != "MAX_TOKENS" {
			t.Errorf("cut candidate: got %v", cut)
		}
	})
	t.Run("M-15", func(t *testing.T) {
		answer := m.ok(t, `{"contents":[`+turn("user", "stoa-test-hate-high")+`]}`)
		feedback := conformance.Sub(t, answer, "promptFeedback")
		seen := map[string]bool{}
		for _, r := range feedback["safetyRatings"].([]any) {
			category := conformance.Text(t, r.(map[string]any), "category")
			if seen[category] {
				t.Errorf("%s is rated twice", category)
			}
			seen[category] = true
		}
		if answer["candidates"] != nil || len(seen) == 0 {
			t.Errorf("blocked prompt: got %v", answer)
		}
	})
	t.Run("M-16", func(t *testing.T) {
		reason := conformance.Text(t, m.ok(t, `{"contents":[`+turn("user", "stoa-test-civic-high")+`]}`), "promptFeedback", "blockReason")
		if reason != "SAFETY" {
			t.Errorf("blockReason: got %q, want SAFETY", reason)
		}
	})
	t.Run("M-17", func(t *testing.T) {
		usage := conformance.Sub(t, m.ok(t, helloBody), "usageMetadata")
		for _, name := range []string{
			"promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "toolUsePromptTokenCount",
			"thoughtsTokenCount", "totalTokenCount",
		} {
			conformance.Integer(t, usage, name)
		}
		for _, name := range []string{
			"promptTokensDetails", "cacheTokensDetails", "candidatesTokensDetails", "toolUsePromptTokensDetails",
		} {
			if _, ok := usage[name].([]any); !ok {
				t.Errorf("%s is %T, want an array", name, usage[name])
			}
		}
		if got := conformance.Integer(t, usage, "promptTokenCount"); got != 1 {
			t.Errorf("promptTokenCount of Hello: got %d, want 1", got)
		}
	})
	t.Run("M-18", func(t *testing.T) {
		usage := conformance.Sub(t, m.ok(t, `{"contents":[`+turn("user", "Hello")+`],"cachedContent":"`+makeCache(t, m)+`"}`), "usageMetadata")
		prompt, cached := conformance.Integer(t, usage, "promptTokenCount"),
			conformance.Integer(t, usage, "cachedContentTokenCount")
		if cached < 1024 || prompt != cached+1 {
			t.Errorf("prompt %d, cached %d: want prompt to be cached plus one", prompt, cached)
		}
	})
	t.Run("M-19", func(t *testing.T) {
		usage := conformance.Sub(t, m.ok(t, helloBody), "usageMetadata")
		sum := conformance.Integer(t, usage, "promptTokenCount") + conformance.Integer(t, usage, "candidatesTokenCount")
		if got := conformance.Integer(t, usage, "totalTokenCount"); got != sum || got < 2 {
			t.Errorf("totalTokenCount: got %d, want %d", got, sum)
		}
	})
}

// startUpload sends the start exactly as the contract prints it.
func startUpload(t *testing.T, m models, size int, mimeType string) string {
	t.Helper()
	answer := m.post(t, "/upload/v1beta/files", `{"file":{"display_name":"notes"}}`,
		"X-Vendor-Upload-Protocol: resumable", "X-Vendor-Upload-Command: start",
		"X-Vendor-Upload-Header-Content-Length: "+strconv.Itoa(size), "X-Vendor-Upload-Header-Content-Type: "+mimeType,
		"Content-Type: application/json").Want(t, http.StatusOK)
	address, err := url.Parse(answer.Header.Get("x-vendor-upload-url"))
	if err != nil || !strings.HasPrefix(address.String(), m.h.URL) {
		t.Fatalf("upload address %q: %v", answer.Header.Get("x-vendor-upload-url"), err)
	}
	return address.RequestURI()
}

func upload(t *testing.T, m models, body, mimeType string) map[string]any {
	t.Helper()
	path := startUpload(t, m, len(body), mimeType)
	answer := m.h.Do(t, conformance.Call{Method: http.MethodPost, Path: path, Body: body, Header: http.Header{
		"X-Vendor-Upload-Offset": {"0"}, "X-Vendor-Upload-Command": {"upload, finalize"},
		"Content-Type": {"application/octet-stream"},
	}}).Want(t, http.StatusOK)
	return conformance.Sub(t, answer.Object(t), "file")
}

// poll waits until a file is ready, as clients do.
func poll(t *testing.T, m models, name string) map[string]any {
	t.Helper()
	guard := time.After(20 * time.Second)
	for {
		file := m.get(t, "/v1beta/"+name).Want(t, http.StatusOK).Object(t)
		if file["state"] != "PROCESSING" {
			return file
		}
		select {
		case <-guard:
			t.Fatalf("%s is still %v", name, file["state"])
		default:
		}
	}
}

func activeFile(t *testing.T, m models) string {
	t.Helper()
	file := poll(t, m, conformance.Text(t, upload(t, m, "The sea is wine-dark.", "text/plain"), "name"))
	if file["state"] != "ACTIVE" {
		t.Fatalf("file: got %v, want ACTIVE", file)
	}
	return conformance.Text(t, file, "uri")
}

func generateFiles(t *testing.T, m models) {
	t.Run("M-20", func(t *testing.T) {
		file := upload(t, m, "hello", "text/plain")
		for _, name := range []string{"name", "uri", "mimeType", "state"} {
			if conformance.Text(t, file, name) == "" {
				t.Errorf("%s is empty in %v", name, file)
			}
		}
	})
	t.Run("M-21", func(t *testing.T) {
		small := upload(t, m, "hello", "text/plain")
		if small["state"] != "ACTIVE" {
			t.Errorf("state of a small file after the upload: got %v, want ACTIVE", small["state"])
		}
		file := upload(t, m, strings.Repeat("hello ", 200_000), "text/plain")
		if file["state"] != "PROCESSING" {
			t.Errorf("state after the upload: got %v, want PROCESSING", file["state"])
		}
		ready := poll(t, m, conformance.Text(t, file, "name"))
		if ready["state"] != "ACTIVE" {
			t.Fatalf("state after polling: got %v, want ACTIVE", ready["state"])
		}
		m.ok(t, `{"contents":[{"parts":[{"file_data":{"mime_type":"text/plain","file_uri":"`+conformance.Text(t, ready, "uri")+`"}}]}]}`)
	})
	t.Run("M-25", func(t *testing.T) { startUpload(t, m, 5, "text/plain") })
	t.Run("M-26", func(t *testing.T) {
		startUpload(t, m, 5, "text/plain")
		m.post(t, "/upload/v1beta/files", `{"file":{}}`, "X-Vendor-Upload-Protocol: carrier-pigeon").Refused(t)
		m.post(t, "/upload/v1beta/files", `{"file":{}}`, "X-Vendor-Upload-Protocol: resumable", "X-Vendor-Upload-Command: finish").Refused(t)
	})
	t.Run("M-27", func(t *testing.T) {
		file := upload(t, m, "hello", "text/plain")
		if file["sizeBytes"] != "5" || file["mimeType"] != "text/plain" || file["displayName"] != "notes" {
			t.Errorf("uploaded file: got %v", file)
		}
	})
	t.Run("M-28", func(t *testing.T) {
		name := conformance.Text(t, upload(t, m, "hello", "text/plain"), "name")
		conformance.Text(t, m.get(t, "/v1beta/"+name).Want(t, http.StatusOK).Object(t), "state")
		m.get(t, "/v1beta/files/unknown").Refused(t)
	})
	t.Run("M-29", func(t *testing.T) {
		uri := activeFile(t, m)
		answer := m.ok(t, `{"contents":[{"parts":[{"text":"Hello"},{"file_data":{"mime_type":"text/plain","file_uri":"`+uri+`"}}]}]}`)
		if got := conformance.Integer(t, answer, "usageMetadata", "promptTokenCount"); got < 5 {
			t.Errorf("promptTokenCount: got %d, want the file to be counted", got)
		}
		m.refused(t, `{"contents":[{"parts":[{"file_data":{"file_uri":"`+m.h.URL+`/v1beta/files/unknown"}}]}]}`)
	})
}

func generateEndpoints(t *testing.T, m models) {
	t.Run("M-22", func(t *testing.T) {
		m.ok(t, helloBody)
		m.post(t, "/v1beta/models/unheard-of:generateContent", helloBody).Want(t, http.StatusNotFound)
	})
	t.Run("M-23", func(t *testing.T) {
		answer := m.post(t, streamPath+"?alt=sse", helloBody).Want(t, http.StatusOK)
		if got := answer.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
			t.Errorf("Content-Type: got %q, want text/event-stream", got)
		}
		whole := ""
		chunks := events(t, answer)
		for _, c := range chunks {
			for _, part := range conformance.Sub(t, candidate(t, c, 0), "content")["parts"].([]any) {
				whole += conformance.Text(t, part.(map[string]any), "text")
			}
		}
		at := candidate(t, m.ok(t, helloBody), 0)["content"].(map[string]any)["parts"].([]any)[0].(map[string]any)["text"]
		if len(chunks) < 2 || whole != at {
			t.Errorf("%d chunks make %q, want %q", len(chunks), whole, at)
		}
	})
	t.Run("M-24", func(t *testing.T) {
		for _, c := range events(t, m.post(t, streamPath+"?alt=sse", helloBody).Want(t, http.StatusOK)) {
			conformance.Only(t, c, "candidates", "usageMetadata", "modelVersion", "responseId", "modelStatus")
		}
	})
	t.Run("M-30", func(t *testing.T) {
		data := base64.StdEncoding.EncodeToString(make([]byte, 6<<20))
		m.ok(t, `{"contents":[{"parts":[{"inline_data":{"mime_type":"image/png","data":"`+data+`"}}]}]}`)
	})
	t.Run("M-31", func(t *testing.T) {
		m.ok(t, `{"contents":[`+turn("user", "Hello")+`,`+turn("model", "Hi")+`,`+turn("user", "repeat: bye")+`]}`)
	})
	t.Run("M-32", func(t *testing.T) {
		start := http.Header{"X-Vendor-Upload-Protocol": {"resumable"}, "X-Vendor-Upload-Command": {"start"}}
		for path, header := range conformance.InOrder(map[string]http.Header{
			generatePath: nil, streamPath + "?alt=sse": nil, "/upload/v1beta/files": start,
		}) {
			for name, key := range conformance.InOrder(map[string]string{"no key": "", "wrong key": "key=wrong"}) {
				separator := "?"
				if strings.Contains(path, "?") {
					separator = "&"
				}
				answer := m.h.Do(t, conformance.Call{
					Method: http.MethodPost, Path: path + separator + key, Body: helloBody, Header: header,
				})
				if answer.Status != http.StatusForbidden && answer.Status != http.StatusBadRequest {
					t.Errorf("%s with %s: got %v, want a refusal", path, name, answer)
				}
				answer.Refused(t)
			}
		}
		m.ok(t, helloBody)
	})
}

// events reads a stream of server-sent events.
func events(t *testing.T, a *conformance.Answer) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, event := range strings.Split(strings.TrimSpace(string(a.Body)), "\r\n\r\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || strings.Contains(data, "\n") {
			t.Fatalf("event %q is not one data line", event)
		}
		d := json.NewDecoder(strings.NewReader(data))
		d.UseNumber()
		var chunk map[string]any
		if err := d.Decode(&chunk); err != nil {
			t.Fatalf("event %q: %v", event, err)
		}
		out = append(out, chunk)
	}
	return out
}

// storeOverrides turns the project's logging on and off and lets requests say
// otherwise.
func storeOverrides(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
	for _, project := range []bool{false, true} {
		t.Run(fmt.Sprintf("project %v", project), func(t *testing.T) {
			h := open(t, conformance.Options{Configure: func(c *app.Config) { c.Generate.Store = project }})
			h.User(t, "mira")
			m := models{h, h.Key(t, "mira", "generate")}
			want := 0
			for member, stored := range conformance.InOrder(map[string]bool{"": project, `,"store":false`: false, `,"store":true`: true}) {
				m.ok(t, `{"contents":[`+turn("user", "Hello")+`]`+member+`}`)
				if stored {
					want++
				}
			}
			entries, _ := h.Command(t, "generate log", map[string][]string{"user": {"mira"}})["entries"].([]any)
			if len(entries) != want {
				t.Errorf("stored requests: got %d, want %d", len(entries), want)
			}
		})
	}
}
