package generate

import (
	"context"
	"encoding/json"
	"errors"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/batches"
)

// batchAnswers is what batches need of the service.
func (s *Service) batchAnswers() batches.Answers {
	return batches.Answers{
		Model: func(id string, m batches.Method) error {
			_, err := s.Model(id, string(m))
			return err
		},
		Check: func(m batches.Method, request json.RawMessage) error {
			_, err := s.decodeText(request, batchRequest(m), wire.DisallowUnknown())
			return err
		},
		Answer:  s.answerBatched,
		Failure: batchFailure,
	}
}

// batchRequest is what a request of a batch is read into.
func batchRequest(m batches.Method) any {
	if m == batches.EmbedContent {
		return new(EmbedRequest)
	}
	return new(api.Request)
}

// answerBatched answers one request as its own method would.
func (s *Service) answerBatched(
	ctx context.Context, caller *identity.Caller, b batches.Batch, text json.RawMessage,
) ([]byte, error) {
	request := batchRequest(b.Method)
	if _, err := s.decodeText(text, request, wire.DisallowUnknown()); err != nil {
		return nil, err
	}
	if content, ok := request.(*api.Request); ok {
		answer, err := s.Generate(ctx, caller, b.Model, content)
		if err != nil {
			return nil, err
		}
		return wire.EncodeJSON(answer)
	}
	made, err := s.Embed(ctx, caller, b.Model, []EmbedRequest{*request.(*EmbedRequest)})
	if err != nil {
		return nil, err
	}
	return wire.EncodeJSON(embedJSON{
		embeddingJSON{made.Vectors[0]}, embedUsageJSON{made.Tokens, made.Tokens}, made.Version,
	})
}

// batchFailure is why a request of a batch has no answer.
func batchFailure(err error) (api.Code, string) {
	var own *api.Error
	var syntax *wire.SyntaxError
	switch {
	case errors.As(err, &own):
		return own.Code, own.Message
	case errors.As(err, &syntax):
		return api.CodeInvalidArgument, syntax.Error()
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, route.ErrDeadline):
		return api.CodeDeadline, "the answer took too long"
	}
	return api.CodeInternal, "the request could not be answered"
}
