//go:build linux && amd64

package llama

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/engine"
)

// Generate reads the prompt and produces one token after another.
func (m *model) Generate(p engine.Prompt, stop func() bool, emit func(engine.Piece) error) (engine.Done, error) {
	tokens, err := m.prompt(p.Messages)
	if err != nil {
		return engine.Done{}, err
	}
	if len(tokens) == 0 || len(tokens) >= m.contextSize {
		return engine.Done{}, &engine.Refusal{Caller: true, Message: fmt.Sprintf(
			"the prompt has %d tokens, and with the answer there is room for %d", len(tokens), m.contextSize)}
	}
	c, err := m.newSampler(&p)
	if err != nil {
		return engine.Done{}, err
	}
	defer c.free()
	s := m.pick(tokens)
	done := engine.Done{Prompt: len(tokens)}
	if done.Cached, err = m.read(s, tokens, p.Exact, stop); errors.Is(err, errStopped) {
		done.Ending = engine.EndCancelled
		return done, nil
	} else if err != nil {
		return done, err
	}
	w := &writer{stops: engine.NewStopMatcher(p.Stops), emit: emit, done: &done}
	done.Ending, err = m.answer(s, c, w, stop, &done.Answer)
	return done, err
}

// answer is the loop of one answer.
func (m *model) answer(s *slot, c *sampler, w *writer, stop func() bool, answered *int) (engine.Ending, error) {
	for {
		if stop() {
			return engine.EndCancelled, nil
		}
		token := c.next()
		if m.lib.vocabEnds(m.vocab, token) {
			return engine.EndTurn, w.rest()
		}
		*answered++
		if c.prompt.Logprobs {
			w.tokens = append(w.tokens, c.report(token))
		}
		stopped, err := w.write(m.piece(token))
		if err != nil {
			return "", err
		}
		if stopped {
			return engine.EndStop, nil
		}
		if *answered >= c.prompt.MaxTokens || len(s.tokens) >= m.contextSize {
			return engine.EndLength, w.rest()
		}
		if err := m.decode(s, []int32{token}, true); err != nil {
			return "", err
		}
	}
}

// writer sends text as soon as it is certain, with the tokens it came from.
type writer struct {
	stops  *engine.StopMatcher
	tokens []engine.Token
	done   *engine.Done
	emit   func(engine.Piece) error
}

func (w *writer) write(b []byte) (stopped bool, err error) {
	text, stopped := w.stops.Push(b)
	if text == "" {
		return stopped, nil
	}
	return stopped, w.send(text)
}

func (w *writer) rest() error {
	if text := w.stops.Rest(); text != "" {
		return w.send(text)
	}
	return nil
}

func (w *writer) send(text string) error {
	tokens := w.tokens
	w.tokens = nil
	return w.emit(engine.Piece{Text: text, Tokens: tokens, Done: *w.done})
}
