//go:build linux && amd64

package llama

import (
	"errors"
	"fmt"
	"unsafe"

	"stoa.dev/stoa/engine"
)

// slot is one remembered conversation: the tokens whose state is in the
// model's memory. The next prompt that begins alike need not read them again.
type slot struct {
	number int32
	tokens []int32
	// exact is how many of the tokens were read in whole blocks from the start.
	// Their state is what reading them anew would give, to the last bit; that
	// of tokens read otherwise differs in the last digits.
	exact int
	used  int64
}

// common is the length of the common beginning.
func (s *slot) common(tokens []int32) int {
	n := min(len(s.tokens), len(tokens))
	for i := range n {
		if s.tokens[i] != tokens[i] {
			return i
		}
	}
	return n
}

// pick takes the conversation that shares most with the prompt, or the one
// that was unused for longest when none shares a tenth.
func (m *model) pick(tokens []int32) *slot {
	oldest, best, shared := m.slots[0], (*slot)(nil), len(tokens)/10
	for _, s := range m.slots {
		if s.used < oldest.used {
			oldest = s
		}
		if n := s.common(tokens); n > shared {
			best, shared = s, n
		}
	}
	if best == nil {
		best = oldest
	}
	m.turn++
	best.used = m.turn
	return best
}

// errStopped means that the caller has left.
var errStopped = errors.New("llama: stopped")

// read brings the prompt into the model's memory and returns how much of it was
// there. The state of its last token is ready for sampling.
func (m *model) read(s *slot, tokens []int32, exact bool, stop func() bool) (cached int, err error) {
	// The last token is always read: its probabilities are wanted.
	cached = min(s.common(tokens), len(tokens)-1)
	if exact {
		cached = min(cached, s.exact)
		cached -= cached % block
	}
	if err := m.forget(s, cached); err != nil {
		return 0, err
	}
	for from := cached; from < len(tokens); {
		if stop() {
			return cached, errStopped
		}
		to := min(from-from%block+block, len(tokens))
		if err := m.decode(s, tokens[from:to], to == len(tokens)); err != nil {
			return cached, err
		}
		if from == s.exact && to-from == block {
			s.exact = to
		}
		from = to
	}
	return cached, nil
}

// forget drops everything after the first keep tokens.
func (m *model) forget(s *slot, keep int) error {
	if !m.lib.memoryRemove(m.lib.memory(m.chat), s.number, int32(keep), -1) {
		// Models with a recurrent state cannot go back in part.
		if keep > 0 {
			return m.forget(s, 0)
		}
		return errors.New("the engine cannot clear a conversation")
	}
	s.tokens = s.tokens[:keep]
	s.exact = min(s.exact, keep-keep%block)
	return nil
}

// decode adds at most a block of tokens to a conversation.
func (m *model) decode(s *slot, tokens []int32, last bool) error {
	if len(s.tokens)+len(tokens) > m.contextSize {
		return &engine.Refusal{Caller: true, Message: fmt.Sprintf(
			"the conversation does not fit into %d tokens", m.contextSize)}
	}
	b := m.promptBatch
	b.Count = int32(len(tokens))
	fill(b, tokens, len(s.tokens), s.number, last)
	if code := m.lib.decode(m.chat, b); code != 0 {
		// What is in memory now is unknown, so nothing of it is kept.
		return errors.Join(
			fmt.Errorf("the engine failed to read %d tokens (%d)", len(tokens), code), m.forget(s, 0))
	}
	s.tokens = append(s.tokens, tokens...)
	return nil
}

// fill writes tokens into a batch; with last, the last one has a result.
func fill(b batch, tokens []int32, from int, seq int32, last bool) {
	n := len(tokens)
	copy(unsafe.Slice(pointer[int32](b.Tokens), n), tokens)
	positions := unsafe.Slice(pointer[int32](b.Positions), n)
	counts := unsafe.Slice(pointer[int32](b.Counts), n)
	outs := unsafe.Slice(pointer[int8](b.Outs), n)
	seqs := unsafe.Slice(pointer[*int32](b.Seqs), n)
	for i := range n {
		positions[i], counts[i], outs[i] = int32(from+i), 1, 0
		*seqs[i] = seq
	}
	if last {
		outs[n-1] = 1
	}
}

// pointer turns an address of the engine's own memory into a pointer. The
// detour keeps the checker from taking it for an address of Go memory.
func pointer[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }
