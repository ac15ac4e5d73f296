package generate_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/genai"

	"stoa.dev/stoa/test/sdk/world"
)

// model is an id the client knows by heart; the built-in script answers for it, or the
// model that was pulled.
const model = "gemini-2.5-flash"

// storyLength bounds an answer in tokens, which a small model may not end by itself.
const storyLength = 60

// pulled reports whether a model answers, which says something of its own.
func pulled() bool { return world.Model() != "" }

// says reports whether the script said these words, or a model some.
func says(text, words string) bool { return text == words || pulled() && text != "" }

func client(t *testing.T, url, key string) *genai.Client {
	t.Helper()
	c, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: key, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: url},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestOfficialGoClient holds a conversation, streams, calls a function, asks
// for JSON, uploads from a reader, caches, counts, embeds and lists models.
func TestOfficialGoClient(t *testing.T) {
	env := world.Start(t)
	c := client(t, env["STOA_URL"], env["STOA_MODEL_KEY"])
	t.Run("chat", func(t *testing.T) { chat(t, c) })
	t.Run("stream", func(t *testing.T) { stream(t, c) })
	t.Run("function", func(t *testing.T) { function(t, c) })
	t.Run("schema", func(t *testing.T) { schema(t, c) })
	t.Run("files", func(t *testing.T) { files(t, c) })
	t.Run("caches", func(t *testing.T) { caches(t, c) })
	t.Run("tokens and embeddings", func(t *testing.T) { counts(t, c) })
	t.Run("models", func(t *testing.T) { models(t, c) })
	t.Run("safety", func(t *testing.T) {
		r := must(c.Models.GenerateContent(t.Context(), model, genai.Text("stoa-test-hate-high"), nil))(t)
		if r.PromptFeedback == nil || r.PromptFeedback.BlockReason != genai.BlockedReasonSafety || len(r.Candidates) != 0 {
			t.Errorf("blocked prompt: %+v", r)
		}
	})
	t.Run("errors", func(t *testing.T) {
		_, err := client(t, env["STOA_URL"], "wrong").Models.GenerateContent(t.Context(), model, genai.Text("Hello"), nil)
		var refused genai.APIError
		if !errors.As(err, &refused) || refused.Code != 400 || refused.Status != "INVALID_ARGUMENT" ||
			len(refused.Details) == 0 {
			t.Errorf("wrong key: %v", err)
		}
		_, err = c.Models.GenerateContent(t.Context(), "unheard-of", genai.Text("Hello"), nil)
		if !errors.As(err, &refused) || refused.Code != 404 {
			t.Errorf("unknown model: %v", err)
		}
	})
}

func chat(t *testing.T, c *genai.Client) {
	talk := must(c.Chats.Create(t.Context(), model, &genai.GenerateContentConfig{
		SystemInstruction: genai.NewContentFromText("Be brief.", genai.RoleUser), Temperature: genai.Ptr[float32](0),
		MaxOutputTokens: storyLength,
	}, nil))(t)
	must(talk.SendMessage(t.Context(), genai.Part{Text: "Hello"}))(t)
	second := must(talk.SendMessage(t.Context(), genai.Part{Text: "repeat: bye now"}))(t)
	if !says(second.Text(), "bye now") || len(talk.History(false)) != 4 {
		t.Errorf("second answer %q, history %d", second.Text(), len(talk.History(false)))
	}
	if u := second.UsageMetadata; u.PromptTokenCount < 10 || u.CandidatesTokenCount != 2 && !pulled() ||
		strings.Contains(second.ModelVersion, "script") == pulled() {
		t.Errorf("usage %+v, version %q", u, second.ModelVersion)
	}
}

func stream(t *testing.T, c *genai.Client) {
	whole, chunks := "", 0
	for r, err := range c.Models.GenerateContentStream(t.Context(), model, genai.Text("Tell me a story"),
		&genai.GenerateContentConfig{MaxOutputTokens: storyLength}) {
		if err != nil {
			t.Fatal(err)
		}
		whole += r.Text()
		chunks++
	}
	if chunks < 4 || !pulled() && (chunks < 10 || !strings.HasPrefix(whole, "Under the painted porch")) {
		t.Errorf("%d chunks: %q", chunks, whole)
	}
}

func function(t *testing.T, c *genai.Client) {
	tools := []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{
		Name: "get_weather",
		Parameters: &genai.Schema{
			Type: genai.TypeObject, Properties: map[string]*genai.Schema{"city_name": {Type: genai.TypeString}},
		},
	}}}}
	ask := []*genai.Content{genai.NewContentFromText("Weather in Rome?", genai.RoleUser)}
	r := must(c.Models.GenerateContent(t.Context(), model, ask, &genai.GenerateContentConfig{
		Tools: tools,
		ToolConfig: &genai.ToolConfig{
			FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAny},
		},
	}))(t)
	calls := r.FunctionCalls()
	if len(calls) != 1 || calls[0].Name != "get_weather" || calls[0].Args["city_name"] == nil {
		t.Fatalf("calls: %+v", calls)
	}
	ask = append(ask, r.Candidates[0].Content,
		genai.NewContentFromFunctionResponse("get_weather", map[string]any{"sky_state": "clear"}, genai.RoleUser))
	r = must(c.Models.GenerateContent(t.Context(), model, ask, &genai.GenerateContentConfig{
		Tools: tools, MaxOutputTokens: storyLength,
	}))(t)
	if !pulled() && !strings.Contains(r.Text(), "sky_state") {
		t.Errorf("after the function: %q", r.Text())
	}
}

func schema(t *testing.T, c *genai.Client) {
	r := must(c.Models.GenerateContent(t.Context(), model, genai.Text("a profile"), &genai.GenerateContentConfig{
		ResponseMIMEType: "application/json",
		ResponseSchema: &genai.Schema{Type: genai.TypeObject, Required: []string{
			"name", "age", "tags",
		}, Properties: map[string]*genai.Schema{
			"name": {Type: genai.TypeString, MaxLength: genai.Ptr[int64](20)},
			"age":  {Type: genai.TypeInteger, Minimum: genai.Ptr(18.0)},
			"tags": {Type: genai.TypeArray, Items: &genai.Schema{Type: genai.TypeString, MaxLength: genai.Ptr[int64](20)},
				MinItems: genai.Ptr[int64](2), MaxItems: genai.Ptr[int64](3)},
		}},
	}))(t)
	var profile struct {
		Name string
		Age  int
		Tags []string
	}
	if err := json.Unmarshal([]byte(r.Text()), &profile); err != nil || profile.Name == "" || profile.Age < 18 ||
		len(profile.Tags) < 2 || len(profile.Tags) > 2 && !pulled() {
		t.Errorf("%s: %v", r.Text(), err)
	}
}

// onlyReader hides the size, as a pipe would.
type onlyReader struct{ io.Reader }

func files(t *testing.T, c *genai.Client) {
	const size = 9 << 20 // more than one chunk of the client
	f := must(c.Files.Upload(t.Context(), onlyReader{io.LimitReader(endless{}, size)}, &genai.UploadFileConfig{
		MIMEType: "text/plain", DisplayName: "letters",
	}))(t)
	for guard := time.Now().Add(time.Minute); f.State == genai.FileStateProcessing && time.Now().Before(guard); {
		f = must(c.Files.Get(t.Context(), f.Name, nil))(t)
	}
	if f.State != genai.FileStateActive || f.SizeBytes == nil || *f.SizeBytes != size {
		t.Fatalf("file: %+v", f)
	}
	small := must(c.Files.Upload(t.Context(), strings.NewReader("wine-dark sea"), &genai.UploadFileConfig{
		MIMEType: "text/plain",
	}))(t)
	for small.State == genai.FileStateProcessing {
		small = must(c.Files.Get(t.Context(), small.Name, nil))(t)
	}
	r := must(c.Models.GenerateContent(t.Context(), model, []*genai.Content{{Role: genai.RoleUser, Parts: []*genai.Part{
		{Text: "Hello"}, genai.NewPartFromURI(small.URI, small.MIMEType),
	}}}, &genai.GenerateContentConfig{MaxOutputTokens: storyLength}))(t)
	if r.UsageMetadata.PromptTokenCount < 3 {
		t.Errorf("usage: %+v", r.UsageMetadata)
	}
	if page := must(c.Files.List(t.Context(), nil))(t); len(page.Items) != 2 {
		t.Errorf("files: %d, want 2", len(page.Items))
	}
	must(c.Files.Delete(t.Context(), f.Name, nil))(t)
}

// endless is text without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "abc d\n"[i%6]
	}
	return len(p), nil
}

func caches(t *testing.T, c *genai.Client) {
	made := must(c.Caches.Create(t.Context(), model, &genai.CreateCachedContentConfig{
		Contents: []*genai.Content{genai.NewContentFromText(strings.Repeat("one two three four ", 300), genai.RoleUser)},
		TTL:      10 * time.Minute,
	}))(t)
	r := must(c.Models.GenerateContent(t.Context(), model, genai.Text("Hello"), &genai.GenerateContentConfig{
		CachedContent: made.Name, MaxOutputTokens: storyLength,
	}))(t)
	if r.UsageMetadata.CachedContentTokenCount != made.UsageMetadata.TotalTokenCount ||
		r.UsageMetadata.PromptTokenCount <= r.UsageMetadata.CachedContentTokenCount {
		t.Errorf("usage %+v, cache %+v", r.UsageMetadata, made.UsageMetadata)
	}
	renewed := must(c.Caches.Update(t.Context(), made.Name, &genai.UpdateCachedContentConfig{TTL: time.Hour}))(t)
	if !renewed.ExpireTime.After(made.ExpireTime) {
		t.Errorf("renewed until %v, was %v", renewed.ExpireTime, made.ExpireTime)
	}
	must(c.Caches.Delete(t.Context(), made.Name, nil))(t)
}

func counts(t *testing.T, c *genai.Client) {
	r := must(c.Models.CountTokens(t.Context(), model, genai.Text("Hello, world!"), nil))(t)
	if r.TotalTokens != 4 && !(pulled() && r.TotalTokens > 0) {
		t.Errorf("tokens: got %d, want 4", r.TotalTokens)
	}
	e := must(c.Models.EmbedContent(t.Context(), "gemini-embedding-001", genai.Text("Hello"), &genai.EmbedContentConfig{
		OutputDimensionality: genai.Ptr[int32](64),
	}))(t)
	if len(e.Embeddings) != 1 || len(e.Embeddings[0].Values) != 64 {
		t.Errorf("embeddings: %+v", e)
	}
}

func models(t *testing.T, c *genai.Client) {
	page := must(c.Models.List(t.Context(), &genai.ListModelsConfig{PageSize: 1}))(t)
	if len(page.Items) != 1 || page.NextPageToken == "" {
		t.Errorf("models: %+v", page)
	}
	if m := must(c.Models.Get(t.Context(), model, nil))(t); m.Name != "models/"+model || m.InputTokenLimit == 0 {
		t.Errorf("model: %+v", m)
	}
}

// TestOfficialNPMClient runs the same with the npm client, and with the one before it, which many
// programs still use.
func TestOfficialNPMClient(t *testing.T) {
	scripts := map[string]string{"current": "generate.mjs", "batches": "batches.mjs", "older": "older.mjs"}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) { world.Node(t, "npm", script, world.Start(t)) })
	}
}

// TestOtherNPMClients runs clients of other makers: the OpenAI client in its own form, and
// the AI SDK.
func TestOtherNPMClients(t *testing.T) {
	for name, script := range map[string]string{"openai": "openai.mjs", "ai sdk": "ai.mjs"} {
		t.Run(name, func(t *testing.T) { world.Node(t, "npm", script, world.Start(t)) })
	}
}

// TestPython runs the scripts under python.
func TestPython(t *testing.T) { world.PythonClients(t, world.Options{}) }
