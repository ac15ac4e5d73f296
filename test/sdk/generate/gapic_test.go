package generate_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	generativelanguage "cloud.google.com/go/ai/generativelanguage/apiv1beta"
	pb "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"github.com/googleapis/gax-go/v2/apierror"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"

	"stoa.dev/stoa/test/sdk/world"
)

// said is the text of the first candidate.
func said(r *pb.GenerateContentResponse) string {
	var out strings.Builder
	for _, c := range r.GetCandidates() {
		for _, p := range c.GetContent().GetParts() {
			out.WriteString(p.GetText())
		}
	}
	return out.String()
}

func words(text string) []*pb.Content {
	return []*pb.Content{{Role: "user", Parts: []*pb.Part{{Data: &pb.Part_Text{Text: text}}}}}
}

// TestGeneratedClient drives the client that is generated from the protocol
// description: its key is in the query, enums are numbers, streams are arrays.
func TestGeneratedClient(t *testing.T) {
	env := world.Start(t)
	options := []option.ClientOption{option.WithEndpoint(env["STOA_URL"]), option.WithAPIKey(env["STOA_MODEL_KEY"])}
	c := must(generativelanguage.NewGenerativeRESTClient(t.Context(), options...))(t)
	defer c.Close()
	const name = "models/" + model
	t.Run("generate", func(t *testing.T) {
		r := must(c.GenerateContent(t.Context(), &pb.GenerateContentRequest{
			Model: name, Contents: words("repeat: bye now"),
			GenerationConfig: &pb.GenerationConfig{MaxOutputTokens: new(int32(storyLength))},
		}))(t)
		if !says(said(r), "bye now") || !pulled() && r.GetCandidates()[0].GetFinishReason() != pb.Candidate_STOP ||
			r.GetUsageMetadata().GetTotalTokenCount() == 0 {
			t.Errorf("answer %v", r)
		}
	})
	t.Run("stream", func(t *testing.T) {
		s := must(c.StreamGenerateContent(t.Context(), &pb.GenerateContentRequest{
			Model: name, Contents: words("tell me a story"),
			GenerationConfig: &pb.GenerationConfig{MaxOutputTokens: new(int32(storyLength))},
		}))(t)
		chunks, whole := 0, ""
		for {
			r, err := s.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			chunks++
			whole += said(r)
		}
		if chunks < 4 || !pulled() && !strings.Contains(whole, "porch") {
			t.Errorf("%d chunks: %q", chunks, whole)
		}
	})
	t.Run("functions", func(t *testing.T) {
		r := must(c.GenerateContent(t.Context(), &pb.GenerateContentRequest{
			Model: name, Contents: words("How is the weather?"),
			Tools: []*pb.Tool{{FunctionDeclarations: []*pb.FunctionDeclaration{{
				Name: "get_weather", Description: "weather",
				Parameters: &pb.Schema{
					Type: pb.Type_OBJECT, Properties: map[string]*pb.Schema{"city": {Type: pb.Type_STRING}},
					Required: []string{"city"},
				},
			}}}},
			ToolConfig: &pb.ToolConfig{FunctionCallingConfig: &pb.FunctionCallingConfig{Mode: pb.FunctionCallingConfig_ANY}},
		}))(t)
		call := r.GetCandidates()[0].GetContent().GetParts()[0].GetFunctionCall()
		if call.GetName() != "get_weather" || call.GetArgs().AsMap()["city"] == nil {
			t.Errorf("call %v", call)
		}
	})
	t.Run("count and embed", func(t *testing.T) {
		n := must(c.CountTokens(t.Context(), &pb.CountTokensRequest{Model: name, Contents: words("one two three")}))(t)
		if n.GetTotalTokens() != 3 && !pulled() {
			t.Errorf("tokens %v, want 3", n)
		}
		v := must(c.EmbedContent(t.Context(), &pb.EmbedContentRequest{
			Model: "models/text-embedding-004", Content: words("one")[0],
		}))(t)
		if len(v.GetEmbedding().GetValues()) != 768 {
			t.Errorf("%d values, want 768", len(v.GetEmbedding().GetValues()))
		}
	})
	t.Run("errors", func(t *testing.T) {
		_, err := c.GenerateContent(t.Context(), &pb.GenerateContentRequest{Model: "models/unheard-of", Contents: words("x")})
		var refused *apierror.APIError
		if !errors.As(err, &refused) || refused.HTTPCode() != 404 {
			t.Errorf("unknown model: %v", err)
		}
	})
	t.Run("models", func(t *testing.T) {
		m := must(generativelanguage.NewModelRESTClient(t.Context(), options...))(t)
		defer m.Close()
		seen := 0
		for list := m.ListModels(t.Context(), &pb.ListModelsRequest{}); ; seen++ {
			if _, err := list.Next(); errors.Is(err, iterator.Done) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if seen == 0 {
			t.Error("no models are listed")
		}
	})
}
