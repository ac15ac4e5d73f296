package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/clock"
)

// chunkTokens is the size of a stream's pieces unless a rule says otherwise.
const chunkTokens = 4

// noSandbox is the outcome of code on a server without a sandbox.
const noSandbox = "code execution is off: this server has no sandbox to run code in"

// say turns a reply into pieces, cut at stop sequences and the token limit.
func (s *script) say(ctx context.Context, p *Prompt, r reply, emit func(Piece) error) error {
	finish := r.Finish
	if finish == "" {
		finish = FinishStop
	}
	var first []Part
	if p.Thoughts && r.Thought != "" {
		first = append(first, Part{Text: &r.Thought, Thought: true})
	}
	if r.Code != "" {
		result := &CodeExecutionResult{Outcome: "OUTCOME_FAILED", Output: "the request does not offer the tool codeExecution"}
		if p.Code {
			result = p.Run(ctx, r.Code)
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		first = append(first, Part{ExecutableCode: &ExecutableCode{Language: "PYTHON", Code: r.Code}}, Part{CodeExecutionResult: result})
		r.Text = strings.ReplaceAll(r.Text, "{{output}}", result.Output)
	}
	calls, err := callParts(r.Calls)
	if err != nil {
		return err
	}
	body := r.Text
	for _, stop := range p.Config.StopSequences {
		if i := strings.Index(body, stop); i >= 0 {
			body = body[:i]
		}
	}
	tokens, numbers, err := s.tokens.split(ctx, body)
	if err != nil {
		return err
	}
	if most := p.maxTokens(); len(tokens) > most {
		tokens, numbers, finish = wholeRunes(tokens[:most]), numbers[:most], FinishMaxTokens
	}
	sayer := sayer{ctx: ctx, script: s, prompt: p, reply: r, emit: emit}
	return sayer.all(first, calls, tokens, numbers, finish)
}

func callParts(calls []scriptCall) ([]Part, error) {
	var parts []Part
	for _, c := range calls {
		args, err := json.Marshal(c.Args)
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", c.Name, err)
		}
		parts = append(parts, Part{FunctionCall: &FunctionCall{Name: c.Name, Args: args}})
	}
	return parts, nil
}

// wholeRunes drops tokens that end inside a character.
func wholeRunes(tokens []string) []string {
	for len(tokens) > 0 && strings.ToValidUTF8(strings.Join(tokens[max(0, len(tokens)-4):], ""), "") != strings.Join(tokens[max(0, len(tokens)-4):], "") {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// sayer sends the pieces of one reply.
type sayer struct {
	ctx    context.Context
	script *script
	prompt *Prompt
	reply  reply
	emit   func(Piece) error
	sent   int
}

func (y *sayer) all(first, calls []Part, tokens []string, numbers []int, finish string) error {
	size := len(tokens)
	if y.prompt.Streams {
		size = y.reply.ChunkTokens
		if size <= 0 {
			size = chunkTokens
		}
	}
	last := Piece{Parts: calls, Finish: finish, Message: y.reply.Message}
	if !y.prompt.Streams {
		// One piece holds everything, so that nothing is encoded twice.
		if body := strings.Join(tokens, ""); body != "" {
			first = append(first, text(body))
		}
		last.Parts = append(first, calls...)
		y.addLogprobs(&last, tokens, numbers)
		return y.send(last)
	}
	if len(first) > 0 {
		if err := y.send(Piece{Parts: first}); err != nil {
			return err
		}
	}
	for start := 0; start < len(tokens); {
		end := min(start+size, len(tokens))
		for end < len(tokens) && !whole(tokens[start:end]) {
			end++
		}
		piece := Piece{Parts: []Part{text(strings.Join(tokens[start:end], ""))}}
		y.addLogprobs(&piece, tokens[start:end], numbers[start:end])
		if end == len(tokens) && len(calls) == 0 {
			piece.Finish, piece.Message = finish, y.reply.Message
			return y.send(piece)
		}
		if err := y.send(piece); err != nil {
			return err
		}
		start = end
	}
	return y.send(last)
}

// whole tells that tokens end at the end of a character.
func whole(tokens []string) bool {
	joined := strings.Join(tokens, "")
	return strings.ToValidUTF8(joined, "") == joined
}

// addLogprobs tells the truth about a script: what it says is certain.
func (y *sayer) addLogprobs(p *Piece, tokens []string, numbers []int) {
	if !y.prompt.Config.ResponseLogprobs {
		return
	}
	for i, token := range tokens {
		chosen := TokenLogprob{Token: token, TokenID: numbers[i]}
		p.Logprobs = append(p.Logprobs, chosen)
		if n := y.prompt.Config.Logprobs; n != nil && *n > 0 {
			p.Top = append(p.Top, TopCandidates{Candidates: []TokenLogprob{chosen}})
		}
	}
}

// send paces the pieces and breaks off where the rule says so.
func (y *sayer) send(p Piece) error {
	if e := y.reply.Error; e != nil && y.sent >= y.reply.After {
		return &Error{Code: e.Status, Message: e.Message}
	}
	if y.sent > 0 && y.reply.ChunkDelay > 0 {
		if err := clock.Sleep(y.ctx, y.script.clock, y.reply.ChunkDelay); err != nil {
			return err
		}
	}
	if err := y.ctx.Err(); err != nil {
		return err
	}
	y.sent++
	return y.emit(p)
}
