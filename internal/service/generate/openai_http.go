package generate

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/openai"
	"stoa.dev/stoa/internal/service/generate/streams"
)

// decodeOpenAI reads a body of the other form, whose members have one spelling.
func decodeOpenAI(r *route.Request, dst any) error {
	options := []wire.Option{wire.DisallowUnknown()}
	var raw json.RawMessage
	if err := wire.ReadJSON(r.Request, &raw); err != nil {
		return err
	}
	if w, ok := r.Body.(wire.Weigher); ok {
		options = append(options, wire.Weighed(w))
	}
	return wire.DecodeJSON(raw, dst, options...)
}

// requiredModel is the id of the model that a body of the other form names.
func requiredModel(name string) (string, error) {
	if name == "" {
		return "", api.ErrInvalidField("model", "is required")
	}
	return api.ModelID(name), nil
}

func (s *Service) handleChat(w http.ResponseWriter, r *route.Request) error {
	var request openai.ChatRequest
	if err := decodeOpenAI(r, &request); err != nil {
		return err
	}
	id, err := requiredModel(request.Model)
	if err != nil {
		return err
	}
	content, err := request.Translate(s.spellings.Accepts(dialect.ChatExtraBody)...)
	if err != nil {
		return err
	}
	stream := openai.NewChatStream(&request, s.now())
	if request.Stream {
		return s.streamChat(w, r, id, content, stream)
	}

	ctx, cancel := context.WithTimeoutCause(r.Context(), answerTime, route.ErrDeadline)
	defer cancel()
	answer, err := s.Generate(ctx, identity.From(r), id, content)
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, stream.Whole(answer))
}

func (s *Service) streamChat(
	w http.ResponseWriter, r *route.Request, id string, content *api.Request, stream *openai.ChatStream,
) error {
	out := streams.New(w, true, nil, func() {})
	send := func(v any) error {
		b, err := wire.EncodeJSON(v)
		if err != nil {
			return err
		}
		return out.Event("", b)
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), streamTime, route.ErrDeadline)
	defer cancel()
	stop := out.OpenLater()
	err := s.Stream(ctx, identity.From(r), id, content, func(chunk api.Response) error {
		return send(stream.Chunk(&chunk))
	})
	stop()
	if err != nil {
		if !out.Opened() || r.Context().Err() != nil {
			return err
		}
		return send(openai.Envelope{Error: s.brokenOff(r, err)})
	}
	if usage := stream.Usage(); usage != nil {
		if err := send(usage); err != nil {
			return err
		}
	}
	return out.Event("", []byte("[DONE]"))
}

// brokenOff is what a caller is told of a failure after the stream has begun;
// what they must not know is logged.
func (s *Service) brokenOff(r *route.Request, err error) openai.ErrorBody {
	f, body := s.openAIError(r, err)
	if f.Code >= http.StatusInternalServerError {
		s.world.Telemetry.Log.LogAttrs(r.Context(), slog.LevelError, "stream failed",
			slog.String("service", Name), slog.String("request", r.ID), slog.String("error", err.Error()))
	}
	return body
}

func (s *Service) handleResponses(w http.ResponseWriter, r *route.Request) error {
	var request openai.ResponsesRequest
	if err := decodeOpenAI(r, &request); err != nil {
		return err
	}
	id, err := requiredModel(request.Model)
	if err != nil {
		return err
	}
	content, err := request.Translate()
	if err != nil {
		return err
	}
	if request.Stream {
		return s.streamResponse(w, r, &request, content)
	}

	ctx, cancel := context.WithTimeoutCause(r.Context(), answerTime, route.ErrDeadline)
	defer cancel()
	answer, err := s.Generate(ctx, identity.From(r), id, content)
	if err != nil {
		return err
	}

	stream := openai.NewResponseStream(&request, s.now(), nil)
	if err := stream.Take(answer); err != nil {
		return err
	}
	whole, err := stream.End()
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, whole)
}

func (s *Service) streamResponse(
	w http.ResponseWriter, r *route.Request, request *openai.ResponsesRequest, content *api.Request,
) error {
	out := streams.New(w, true, nil, func() {})
	stream := openai.NewResponseStream(request, s.now(), func(e openai.Event) error {
		b, err := wire.EncodeJSON(e.Body)
		if err != nil {
			return err
		}
		return out.Event(e.Name, b)
	})
	ctx, cancel := context.WithTimeoutCause(r.Context(), streamTime, route.ErrDeadline)
	defer cancel()
	id := api.ModelID(request.Model)
	stop := out.OpenLater()
	err := s.Stream(ctx, identity.From(r), id, content, func(chunk api.Response) error {
		return stream.Take(&chunk)
	})
	stop()
	if err != nil {
		if !out.Opened() || r.Context().Err() != nil {
			return err
		}
		return stream.Fail(s.brokenOff(r, err))
	}
	_, err = stream.End()
	return err
}

func (s *Service) handleOpenAIEmbeddings(w http.ResponseWriter, r *route.Request) error {
	var request openai.EmbeddingsRequest
	if err := decodeOpenAI(r, &request); err != nil {
		return err
	}
	id, err := requiredModel(request.Model)
	if err != nil {
		return err
	}
	if err := request.Check(); err != nil {
		return err
	}

	made, err := s.embedInputs(r.Context(), identity.From(r), id, &request)
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, request.Answer(made.Vectors, made.Version, made.Tokens))
}

// embedInputs embeds in batches of the size that the service takes.
func (s *Service) embedInputs(
	ctx context.Context, caller *identity.Caller, id string, r *openai.EmbeddingsRequest,
) (all Embeddings, err error) {
	texts := r.Input.Texts
	for i, numbers := range r.Input.Tokens {
		text, err := s.tokens.Join(numbers)
		if err != nil {
			return all, api.ErrInvalidField("input", "entry %d holds numbers that are no tokens of cl100k_base", i)
		}
		texts = append(texts, text)
	}
	for len(texts) > 0 {
		n := min(len(texts), maxBatch)
		var batch []EmbedRequest
		for _, text := range texts[:n] {
			batch = append(batch, EmbedRequest{
				Content: api.Content{Parts: []api.Part{api.Text(text)}}, OutputDimensionality: r.Dimensions,
			})
		}
		made, err := s.Embed(ctx, caller, id, batch)
		if err != nil {
			return all, err
		}
		all.Vectors, all.Tokens = append(all.Vectors, made.Vectors...), all.Tokens+made.Tokens
		all.Version, texts = made.Version, texts[n:]
	}
	return all, nil
}

func (s *Service) handleOpenAIModels(w http.ResponseWriter, r *route.Request) error {
	return wire.WriteJSON(w, r.Request, http.StatusOK, openai.ModelsOf(s.Models()))
}

func (s *Service) handleOpenAIModel(w http.ResponseWriter, r *route.Request) error {
	id := r.PathValue("model")

	m, err := s.Model(id, "")
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, openai.ModelOf(id, m))
}
