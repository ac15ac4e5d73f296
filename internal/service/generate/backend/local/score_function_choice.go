package local

import (
	"context"
	"errors"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/chat"
	"stoa.dev/stoa/internal/service/generate/api"
)

// choose decides whether a function is called where the model may: by the model's
// own probabilities, since small ones never begin a call by themselves. Nil leaves
// it to the model. What a function has answered is answered in words.
func (b *Backend) choose(ctx context.Context, p *api.Prompt) (*chat.Function, error) {
	if p.Mode != "AUTO" && p.Mode != "VALIDATED" || len(p.Functions) == 0 || len(p.Contents) == 0 {
		return nil, nil
	}
	last := p.Contents[len(p.Contents)-1]
	for i := range last.Parts {
		if last.Parts[i].FunctionResponse != nil {
			return nil, nil
		}
	}
	choice := chat.NewChoice(api.PlainText(last.Parts), declared(p))
	pairs := choice.Scores()
	if len(pairs) == 0 {
		return nil, nil
	}
	scores, err := b.engine.Score(ctx, pairs)
	var refusal *engine.Refusal
	if errors.As(err, &refusal) && refusal.Caller {
		return nil, nil // a text of too many tokens for its length
	}
	if err != nil {
		return nil, err
	}
	f, called := choice.Pick(scores)
	if !called {
		return nil, nil
	}
	return &f, nil
}

// declared are the functions that may be called.
func declared(p *api.Prompt) (out []chat.Function) {
	for _, f := range p.AllowedFunctions() {
		out = append(out, chat.Function(f))
	}
	return out
}
