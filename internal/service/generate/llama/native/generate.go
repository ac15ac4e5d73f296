//go:build linux && amd64

package native

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/service/generate/llama"
)

// Generate reads the prompt and says one token after another.
func (m *model) Generate(p llama.Prompt, stop func() bool, emit func(llama.Piece) error) (llama.Done, error) {
	tokens, err := m.prompt(p.Messages)
	if err != nil {
		return llama.Done{}, err
	}
	if len(tokens) == 0 || len(tokens) >= m.room {
		return llama.Done{}, &llama.Refusal{Caller: true, Message: fmt.Sprintf("the prompt has %d tokens, and with the answer there is room for %d", len(tokens), m.room)}
	}
	c, err := m.chooser(&p)
	if err != nil {
		return llama.Done{}, err
	}
	defer c.free()
	s := m.pick(tokens)
	done := llama.Done{Prompt: len(tokens)}
	if done.Cached, err = m.read(s, tokens, p.Exact, stop); errors.Is(err, errStopped) {
		done.Ending = llama.EndOfUser
		return done, nil
	} else if err != nil {
		return done, err
	}
	w := &writer{tail: llama.NewTail(p.Stops), emit: emit, done: &done}
	done.Ending, err = m.say(s, c, w, stop, &done.Answer)
	return done, err
}

// say is the loop of one answer.
func (m *model) say(s *slot, c *chooser, w *writer, stop func() bool, answered *int) (llama.Ending, error) {
	for {
		if stop() {
			return llama.EndOfUser, nil
		}
		token := c.next()
		if m.lib.vocabEnds(m.vocab, token) {
			return llama.EndOfTurn, w.rest()
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
			return llama.EndOfStop, nil
		}
		if *answered >= c.prompt.MaxTokens || len(s.tokens) >= m.room {
			return llama.EndOfRoom, w.rest()
		}
		if err := m.decode(s, []int32{token}, true); err != nil {
			return "", err
		}
	}
}

// writer sends text as soon as it is certain, with the tokens it came from.
type writer struct {
	tail   *llama.Tail
	tokens []llama.Token
	done   *llama.Done
	emit   func(llama.Piece) error
}

func (w *writer) write(b []byte) (stopped bool, err error) {
	text, stopped := w.tail.Push(b)
	if text == "" {
		return stopped, nil
	}
	return stopped, w.send(text)
}

func (w *writer) rest() error {
	if text := w.tail.Rest(); text != "" {
		return w.send(text)
	}
	return nil
}

func (w *writer) send(text string) error {
	tokens := w.tokens
	w.tokens = nil
	return w.emit(llama.Piece{Text: text, Tokens: tokens, Done: *w.done})
}
