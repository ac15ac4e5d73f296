package generate_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"stoa.dev/stoa/test/sdk/world"
)

// TestOpenAIClient drives the other form with its maker's Go client, below both addresses.
func TestOpenAIClient(t *testing.T) {
	env := world.Start(t)
	key := option.WithAPIKey(env["STOA_MODEL_KEY"])
	for name, base := range map[string]string{"root": "/v1/", "versioned": "/v1beta/openai/"} {
		c := openai.NewClient(option.WithBaseURL(env["STOA_URL"]+base), key, option.WithMaxRetries(0))
		t.Run(name, func(t *testing.T) {
			t.Run("chat", func(t *testing.T) { openAIChat(t, c) })
			t.Run("stream", func(t *testing.T) { openAIStream(t, c) })
			t.Run("function", func(t *testing.T) { openAIFunction(t, c) })
			t.Run("schema", func(t *testing.T) { openAISchema(t, c) })
			t.Run("responses", func(t *testing.T) { openAIResponses(t, c) })
			t.Run("embeddings", func(t *testing.T) {
				made := must(c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
					Model: "text-embedding-004",
					Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a cat", "a feline"}},
				}))(t)
				if len(made.Data) != 2 || len(made.Data[0].Embedding) != 768 || made.Data[1].Index != 1 {
					t.Errorf("embeddings: %d", len(made.Data))
				}
			})
			t.Run("models", func(t *testing.T) {
				var ids []string
				for page := c.Models.ListAutoPaging(t.Context()); page.Next(); {
					ids = append(ids, page.Current().ID)
				}
				if m := must(c.Models.Get(t.Context(), "stoa-script"))(t); len(ids) == 0 || m.ID != "stoa-script" {
					t.Errorf("models: %v, %+v", ids, m)
				}
			})
			t.Run("errors", func(t *testing.T) { openAIErrors(t, c) })
		})
	}
}

func openAIAsk(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model: model, MaxTokens: openai.Int(storyLength),
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
	}
}

func openAIChat(t *testing.T, c openai.Client) {
	ask := openAIAsk("repeat: bye now")
	ask.Messages = append([]openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief.")}, ask.Messages...)
	answer := must(c.Chat.Completions.New(t.Context(), ask))(t)
	if !says(answer.Choices[0].Message.Content, "bye now") || answer.Usage.CompletionTokens == 0 {
		t.Errorf("answer %+v", answer)
	}
}

func openAIStream(t *testing.T, c openai.Client) {
	ask := openAIAsk("Tell me a story")
	ask.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	s, whole, chunks := c.Chat.Completions.NewStreaming(t.Context(), ask), openai.ChatCompletionAccumulator{}, 0
	defer s.Close()
	for s.Next() {
		chunks++
		if !whole.AddChunk(s.Current()) {
			t.Fatalf("chunk %d does not continue the answer: %+v", chunks, s.Current())
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	if text := whole.Choices[0].Message.Content; chunks < 4 || whole.Usage.TotalTokens == 0 ||
		!pulled() && !strings.HasPrefix(text, "Under the painted porch") {
		t.Errorf("%d chunks, usage %+v: %q", chunks, whole.Usage, text)
	}
}

func openAIFunction(t *testing.T, c openai.Client) {
	ask := openAIAsk("Weather in Rome?")
	ask.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: "get_weather", Description: openai.String("the weather in a city"),
		Parameters: shared.FunctionParameters{
			"type": "object", "properties": map[string]any{"city_name": map[string]any{"type": "string"}},
			"required": []string{"city_name"},
		},
	})}
	ask.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("required")}
	answer := must(c.Chat.Completions.New(t.Context(), ask))(t)
	message := answer.Choices[0].Message
	if len(message.ToolCalls) != 1 || message.ToolCalls[0].Function.Name != "get_weather" ||
		!strings.Contains(message.ToolCalls[0].Function.Arguments, "city_name") {
		t.Fatalf("calls: %+v", message)
	}
	ask.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{}
	ask.Messages = append(ask.Messages, message.ToParam(),
		openai.ToolMessage(`{"sky_state":"clear"}`, message.ToolCalls[0].ID))
	answer = must(c.Chat.Completions.New(t.Context(), ask))(t)
	if text := answer.Choices[0].Message.Content; !pulled() && !strings.Contains(text, "sky_state") {
		t.Errorf("after the function: %q", text)
	}
}

func openAISchema(t *testing.T, c openai.Client) {
	ask := openAIAsk("a person")
	ask.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
		OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "person", Strict: openai.Bool(true), Schema: map[string]any{
				"type": "object", "required": []string{"age"}, "additionalProperties": false,
				"properties": map[string]any{"age": map[string]any{"type": "integer", "minimum": 18}},
			},
		}},
	}
	answer := must(c.Chat.Completions.New(t.Context(), ask))(t)
	var adult struct{ Age int }
	if err := json.Unmarshal([]byte(answer.Choices[0].Message.Content), &adult); err != nil || adult.Age < 18 {
		t.Errorf("%q: %v", answer.Choices[0].Message.Content, err)
	}
}

func openAIResponses(t *testing.T, c openai.Client) {
	ask := responses.ResponseNewParams{
		Model: model, MaxOutputTokens: openai.Int(storyLength),
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("repeat: bye now")},
	}
	if answer := must(c.Responses.New(t.Context(), ask))(t); !says(answer.OutputText(), "bye now") {
		t.Errorf("answer %q", answer.OutputText())
	}
	ask.Input.OfString = openai.String("Tell me a story")
	s, kinds := c.Responses.NewStreaming(t.Context(), ask), []string{}
	defer s.Close()
	for s.Next() {
		kinds = append(kinds, s.Current().Type)
	}
	if s.Err() != nil || len(kinds) < 4 || kinds[0] != "response.created" {
		t.Errorf("events %v: %v", kinds, s.Err())
	}
}

func openAIErrors(t *testing.T, c openai.Client) {
	ask := openAIAsk("Hello")
	_, err := c.Chat.Completions.New(t.Context(), ask, option.WithAPIKey("wrong"))
	var refused *openai.Error
	if !errors.As(err, &refused) || refused.StatusCode != 401 || refused.Message == "" {
		t.Errorf("wrong key: %v", err)
	}
	ask.Model = "unheard-of"
	if _, err = c.Chat.Completions.New(t.Context(), ask); !errors.As(err, &refused) || refused.StatusCode != 404 {
		t.Errorf("unknown model: %v", err)
	}
}
