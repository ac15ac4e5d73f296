package enginetest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/engine"
)

// variable tells the test binary that it is the engine.
const variable = "STOA_FAKE_ENGINE"

// Main serves as the engine if this process was started as one, and does not
// return then. TestMain calls it first.
func Main() {
	if os.Getenv(variable) == "" {
		return
	}
	if err := engine.Serve(os.Stdin, os.NewFile(engine.RepliesFile, "replies"), open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Program is the path of an engine program that is this test binary.
func Program(t testing.TB) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "engine")
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q\n", variable, own)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

type fake struct{ load engine.Load }

func open(l engine.Load) (engine.Model, error) {
	if strings.Contains(l.Weights, "unreadable") {
		return nil, errors.New("the engine cannot read the weights")
	}
	if strings.Contains(l.Weights, "endless") {
		return nil, hang()
	}
	return &fake{l}, nil
}

// hang waits for bytes that never come, as of a file on a server that is gone.
func hang() error {
	read, write, err := os.Pipe()
	if err == nil {
		_, err = read.Read(make([]byte, 1))
		_ = write.Close() // not reached, and not closed by the collector before
	}
	return err
}

func (f *fake) Info() engine.Info {
	return engine.Info{Description: "fake", Vocabulary: 7, Trained: 99, Context: f.load.Context, Width: 4}
}

func (f *fake) Count(text string) (int, error) { return len(strings.Fields(text)), nil }

func (f *fake) Embed(text string) ([]float32, error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	n := h.Sum32()
	return []float32{float32(n & 255), float32(n >> 8 & 255), float32(n >> 16 & 255), 1}, nil
}

// Score counts words: a text is likelier after a prefix that has its words.
func (f *fake) Score(prefix, text string) (float64, error) {
	n := 0.0
	for _, word := range strings.Fields(text) {
		n -= 10
		if strings.Contains(strings.ToLower(prefix), strings.ToLower(word)) {
			n += 9
		}
	}
	return n, nil
}

func (f *fake) Generate(p engine.Prompt, stop func() bool, emit func(engine.Piece) error) (engine.Done, error) {
	done := engine.Done{Ending: engine.EndTurn, Cached: 1}
	for _, m := range p.Messages {
		done.Prompt += len(strings.Fields(m.Content)) + 2
	}
	words, err := answer(p)
	if err != nil {
		return done, err
	}
	stops := engine.NewStopMatcher(p.Stops)
	for i := 0; ; i++ {
		if stop() {
			done.Ending = engine.EndCancelled
			return done, nil
		}
		if i == len(words) && words[i-1] != forever {
			break
		}
		if done.Answer >= p.MaxTokens {
			done.Ending = engine.EndLength
			break
		}
		done.Answer++
		word := words[min(i, len(words)-1)]
		text, stopped := stops.Push([]byte(word))
		if text != "" {
			piece := engine.Piece{Text: text, Done: done}
			if p.Logprobs {
				token := engine.Token{Text: word, ID: i, Logprob: -1}
				top := []engine.Token{token}
				token.Top = top[:min(1, p.Top)]
				piece.Tokens = []engine.Token{token}
			}
			if err := emit(piece); err != nil {
				return done, err
			}
		}
		if stopped {
			done.Ending = engine.EndStop
			return done, nil
		}
	}
	if rest := stops.Rest(); rest != "" {
		return done, emit(engine.Piece{Text: rest, Done: done})
	}
	return done, nil
}

// forever is a word that is said again and again.
const forever = "on "

// answer is what the fake says, word by word:
//
//	say TEXT      that text
//	crash         nothing: the program ends
//	refuse        that the prompt is at fault
//	go on         the word "on", for ever
//	anything else the prompt as the engine got it
func answer(p engine.Prompt) ([]string, error) {
	last := p.Messages[len(p.Messages)-1].Content
	if text, ok := strings.CutPrefix(last, "say "); ok {
		return strings.SplitAfter(text, " "), nil
	}
	switch last {
	case "crash":
		fmt.Fprintln(os.Stderr, "fake: asked to crash")
		os.Exit(3)
	case "refuse":
		return nil, &engine.Refusal{Message: "the prompt has too many tokens", Caller: true}
	case "go on":
		return []string{forever}, nil
	}
	// What marks a call must not be taken for one.
	return []string{strings.ReplaceAll(fmt.Sprintf("%+v", p), "tool_", "TOOL_")}, nil
}
