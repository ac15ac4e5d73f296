//go:build linux && amd64

package llama

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"stoa.dev/stoa/engine"
)

// maxScored is how many tokens a prefix and the text after it may have.
const maxScored = 512

// Score is how likely a text is after a prefix, as a logarithm. Both are read in a
// context of their own, so that no conversation is forgotten for it.
func (m *model) Score(prefix, text string) (float64, error) {
	before, err := m.tokens(prefix, false, true)
	if err != nil {
		return 0, err
	}
	after, err := m.tokens(text, false, false)
	if err != nil {
		return 0, err
	}
	n := len(before) + len(after)
	if len(before) == 0 || len(after) == 0 || n > maxScored {
		return 0, &engine.Refusal{Caller: true, Message: fmt.Sprintf(
			"%d tokens are to be scored; 2 to %d can be", n, maxScored)}
	}
	if err := m.openScores(); err != nil {
		return 0, err
	}
	m.lib.memoryClear(m.lib.memory(m.scores), true)
	b := m.lib.batchInit(int32(n), 0, 1)
	defer m.lib.batchFree(b)
	b.Count = int32(n)
	fill(b, append(before, after...), 0, 0, true)
	outs := unsafe.Slice(pointer[int8](b.Outs), n)
	for i := len(before) - 1; i < n; i++ {
		outs[i] = 1
	}
	if code := m.lib.decode(m.scores, b); code != 0 {
		return 0, fmt.Errorf("the engine failed to read the text (%d)", code)
	}
	sum := 0.0
	for i, token := range after {
		sum += logSoftmax(unsafe.Slice(m.lib.logits(m.scores, int32(len(before)+i-1)), m.size), token)
	}
	return sum, nil
}

// openScores makes the context of scores at its first use.
func (m *model) openScores() error {
	if m.scores != 0 {
		return nil
	}
	c := m.lib.contextDefaultParams()
	c.Context, c.Batch, c.MicroBatch, c.Sequences = maxScored, maxScored, maxScored, 1
	c.Threads, c.BatchThreads, c.NoPerf = int32(m.load.Threads), int32(m.load.Threads), true
	if m.scores = m.lib.contextInit(m.handle, c); m.scores == 0 {
		return errors.New("the engine has no memory for scores")
	}
	return nil
}

// logSoftmax is the logarithm of a token's probability.
func logSoftmax(logits []float32, token int32) float64 {
	highest := slices.Max(logits)
	sum := 0.0
	for _, l := range logits {
		sum += math.Exp(float64(l - highest))
	}
	return float64(logits[token]-highest) - math.Log(sum)
}
