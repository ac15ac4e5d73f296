package script

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/generate/api"
)

// defaultChunkTokens is the size of a stream's pieces unless a rule says otherwise.
const defaultChunkTokens = 4

// send turns a reply into pieces, cut at stop sequences and the token limit.
func (b *Backend) send(ctx context.Context, p *api.Prompt, r reply, emit func(api.Piece) error) error {
	finish := r.Finish
	if finish == "" {
		finish = api.FinishStop
	}
	var first []api.Part
	if p.Thoughts && r.Thought != "" {
		first = append(first, api.Part{Text: &r.Thought, Thought: true})
	}
	if r.Code != "" {
		result := &api.CodeExecutionResult{
			Outcome: "OUTCOME_FAILED", Output: "the request does not offer the tool codeExecution",
		}
		if p.Code {
			result = p.Run(ctx, r.Code)
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		first = append(first,
			api.Part{ExecutableCode: &api.ExecutableCode{Language: "PYTHON", Code: r.Code}},
			api.Part{CodeExecutionResult: result})
		r.Text = strings.ReplaceAll(r.Text, "{{output}}", result.Output)
	}
	calls, err := callParts(r.Calls)
	if err != nil {
		return err
	}
	text := r.Text
	for _, stop := range p.Config.StopSequences {
		text, _, _ = strings.Cut(text, stop)
	}
	tokens, numbers, err := b.tokens.Split(ctx, text)
	if err != nil {
		return err
	}
	if limit := p.MaxTokens(); len(tokens) > limit {
		tokens, numbers, finish = wholeRunes(tokens[:limit]), numbers[:limit], api.FinishMaxTokens
	}
	s := sender{ctx: ctx, clock: b.clock, prompt: p, reply: r, emit: emit}
	last := api.Piece{Parts: calls, Finish: finish, Message: r.Message}
	if p.Streams {
		return s.stream(first, last, tokens, numbers)
	}
	// One piece holds everything, so that nothing is encoded twice.
	if text := strings.Join(tokens, ""); text != "" {
		first = append(first, api.Text(text))
	}
	last.Parts = append(first, calls...)
	s.addLogprobs(&last, tokens, numbers)
	return s.send(last)
}

func callParts(calls []call) ([]api.Part, error) {
	var parts []api.Part
	for _, c := range calls {
		args, err := json.Marshal(c.Args)
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", c.Name, err)
		}
		parts = append(parts, api.Part{FunctionCall: &api.FunctionCall{Name: c.Name, Args: args}})
	}
	return parts, nil
}

// wholeRunes drops tokens that end inside a character.
func wholeRunes(tokens []string) []string {
	for len(tokens) > 0 && !endsWhole(tokens[max(0, len(tokens)-4):]) {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// endsWhole reports whether tokens end at the end of a character.
func endsWhole(tokens []string) bool { return utf8.ValidString(strings.Join(tokens, "")) }

// sender sends the pieces of one reply.
type sender struct {
	ctx    context.Context
	clock  clock.Clock
	prompt *api.Prompt
	reply  reply
	emit   func(api.Piece) error
	sent   int
}

// stream sends the first parts, the tokens in pieces, and the last piece, which
// the last tokens are unless there are calls in it.
func (s *sender) stream(first []api.Part, last api.Piece, tokens []string, numbers []int) error {
	size := s.reply.ChunkTokens
	if size <= 0 {
		size = defaultChunkTokens
	}
	if len(first) > 0 {
		if err := s.send(api.Piece{Parts: first}); err != nil {
			return err
		}
	}
	for start := 0; start < len(tokens); {
		end := min(start+size, len(tokens))
		for end < len(tokens) && !endsWhole(tokens[start:end]) {
			end++
		}
		piece := api.Piece{Parts: []api.Part{api.Text(strings.Join(tokens[start:end], ""))}}
		s.addLogprobs(&piece, tokens[start:end], numbers[start:end])
		if end == len(tokens) && len(last.Parts) == 0 {
			piece.Finish, piece.Message = last.Finish, last.Message
			return s.send(piece)
		}
		if err := s.send(piece); err != nil {
			return err
		}
		start = end
	}
	return s.send(last)
}

// addLogprobs gives every token the probability one: a script is certain.
func (s *sender) addLogprobs(p *api.Piece, tokens []string, numbers []int) {
	if !s.prompt.Config.ResponseLogprobs {
		return
	}
	for i, token := range tokens {
		chosen := api.TokenLogprob{Token: token, TokenID: numbers[i]}
		p.Logprobs = append(p.Logprobs, chosen)
		if n := s.prompt.Config.Logprobs; n != nil && *n > 0 {
			p.Top = append(p.Top, api.TopCandidates{Candidates: []api.TokenLogprob{chosen}})
		}
	}
}

// send paces the pieces and breaks off where the rule says so.
func (s *sender) send(p api.Piece) error {
	if e := s.reply.Error; e != nil && s.sent >= s.reply.After {
		return &api.Error{Code: e.Status, Message: e.Message}
	}
	if s.sent > 0 && s.reply.ChunkDelay > 0 {
		if err := clock.Sleep(s.ctx, s.clock, s.reply.ChunkDelay); err != nil {
			return err
		}
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	s.sent++
	return s.emit(p)
}
