package local

import (
	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/chat"
	"stoa.dev/stoa/internal/service/generate/api"
)

// answer turns the engine's text into parts: a call is one, everything else is
// passed on as it comes.
type answer struct {
	emit func(api.Piece) error
	// calls is nil when there is nothing to call.
	calls *chat.Reader
}

func newAnswer(emit func(api.Piece) error, calls bool) *answer {
	a := &answer{emit: emit}
	if calls {
		a.calls = chat.NewReader()
	}
	return a
}

func (a *answer) take(p engine.Piece) error {
	text := p.Text
	if a.calls != nil {
		text = a.calls.Push(text)
	}
	if text == "" {
		return nil
	}
	piece := api.Piece{Parts: []api.Part{api.Text(text)}, Counts: counts(p.Done)}
	for _, t := range p.Tokens {
		piece.Logprobs = append(piece.Logprobs, logprob(t))
		if len(t.Top) > 0 {
			var top api.TopCandidates
			for _, other := range t.Top {
				top.Candidates = append(top.Candidates, logprob(other))
			}
			piece.Top = append(piece.Top, top)
		}
	}
	return a.emit(piece)
}

func logprob(t engine.Token) api.TokenLogprob {
	return api.TokenLogprob{Token: t.Text, TokenID: t.ID, LogProbability: t.Logprob}
}

func counts(d engine.Done) *api.Counts {
	return &api.Counts{Prompt: d.Prompt, Completion: d.Answer}
}

// end sends the rest: a call, or why there is nothing more.
func (a *answer) end(done engine.Done) error {
	last := api.Piece{Finish: api.FinishStop, Counts: counts(done)}
	if done.Ending == engine.EndLength {
		last.Finish = api.FinishMaxTokens
	}
	if a.calls == nil {
		return a.emit(last)
	}
	rest, call, valid := a.calls.End()
	switch {
	case rest != "":
		last.Parts = append(last.Parts, api.Text(rest))
	case call != nil && valid && api.ValidFunctionName(call.Name):
		last.Parts = append(last.Parts, api.Part{FunctionCall: &api.FunctionCall{Name: call.Name, Args: call.Args}})
	case call != nil:
		last.Finish = api.FinishMalformedCall
		last.Message = "the model broke off in the middle of a function call"
	}
	return a.emit(last)
}
