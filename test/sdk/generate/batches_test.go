package generate_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/genai"

	"stoa.dev/stoa/test/sdk/world"
)

// batchTime is a guard: a slow model takes a while.
const batchTime = 20 * time.Minute

// ended asks for a batch until it has ended.
func ended(t *testing.T, c *genai.Client, name string) *genai.BatchJob {
	t.Helper()
	for guard := time.Now().Add(batchTime); time.Now().Before(guard); {
		b := must(c.Batches.Get(t.Context(), name, nil))(t)
		if b.State != genai.JobStatePending && b.State != genai.JobStateRunning {
			return b
		}
		select {
		case <-t.Context().Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	t.Fatalf("%s has not ended", name)
	return nil
}

// TestBatchesOfOfficialGoClient has requests answered later: those of the call, those of a file, and embeddings.
func TestBatchesOfOfficialGoClient(t *testing.T) {
	env := world.Start(t)
	c := client(t, env["STOA_URL"], env["STOA_MODEL_KEY"])
	short := &genai.GenerateContentConfig{MaxOutputTokens: 10}
	t.Run("inline", func(t *testing.T) {
		made := must(c.Batches.Create(t.Context(), model, &genai.BatchJobSource{InlinedRequests: []*genai.InlinedRequest{
			{Contents: genai.Text("repeat: one"), Config: short, Metadata: map[string]string{"my_key": "a"}},
			{Contents: genai.Text("repeat: two"), Config: short},
		}}, &genai.CreateBatchJobConfig{DisplayName: "mine"}))(t)
		b := ended(t, c, made.Name)
		if b.State != genai.JobStateSucceeded || b.DisplayName != "mine" || len(b.Dest.InlinedResponses) != 2 ||
			!says(b.Dest.InlinedResponses[1].Response.Text(), "two") ||
			b.Dest.InlinedResponses[0].Metadata["my_key"] != "a" {
			t.Errorf("batch: %+v", b)
		}
		if page := must(c.Batches.List(t.Context(), nil))(t); len(page.Items) != 1 || page.Items[0].Name != made.Name {
			t.Errorf("batches: %+v", page)
		}
		must(c.Batches.Delete(t.Context(), made.Name, nil))(t)
	})
	t.Run("file", func(t *testing.T) {
		lines := `{"key":"a","request":{"contents":[{"parts":[{"text":"repeat: one"}]}],"generation_config":{"max_output_tokens":10}}}`
		f := must(c.Files.Upload(t.Context(), strings.NewReader(lines+"\n"), &genai.UploadFileConfig{
			MIMEType: "application/jsonl",
		}))(t)
		made := must(c.Batches.Create(t.Context(), model, &genai.BatchJobSource{FileName: f.Name}, nil))(t)
		b := ended(t, c, made.Name)
		if b.State != genai.JobStateSucceeded || b.Dest.FileName == "" {
			t.Fatalf("batch: %+v", b)
		}
		results := must(c.Files.Get(t.Context(), b.Dest.FileName, nil))(t)
		text := must(c.Files.Download(t.Context(), genai.NewDownloadURIFromFile(results), nil))(t)
		if !strings.HasPrefix(string(text), `{"key":"a","response":{`) {
			t.Errorf("results: %s", text)
		}
	})
	t.Run("embeddings", func(t *testing.T) {
		name := "gemini-embedding-001"
		made := must(c.Batches.CreateEmbeddings(t.Context(), &name, &genai.EmbeddingsBatchJobSource{
			InlinedRequests: &genai.EmbedContentBatch{
				Contents: []*genai.Content{genai.NewContentFromText("a cat", genai.RoleUser)},
				Config:   &genai.EmbedContentConfig{OutputDimensionality: genai.Ptr[int32](32)},
			},
		}, nil))(t)
		b := ended(t, c, made.Name)
		if got := b.Dest.InlinedEmbedContentResponses; len(got) != 1 || len(got[0].Response.Embedding.Values) != 32 {
			t.Errorf("batch: %+v", b)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		var many []*genai.InlinedRequest
		for range 200 {
			many = append(many, &genai.InlinedRequest{Contents: genai.Text("Tell me a story"), Config: short})
		}
		made := must(c.Batches.Create(t.Context(), model, &genai.BatchJobSource{InlinedRequests: many}, nil))(t)
		if err := c.Batches.Cancel(t.Context(), made.Name, nil); err != nil {
			t.Fatal(err)
		}
		if b := ended(t, c, made.Name); b.State != genai.JobStateCancelled {
			t.Errorf("state %s", b.State)
		}
	})
}
