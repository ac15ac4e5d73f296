//go:build linux && amd64

package llama

import (
	"math"
	"slices"
	"strings"
	"unsafe"

	"stoa.dev/stoa/engine"
)

// penaltyWindow is how many tokens back penalties look.
const penaltyWindow = 1024

// sampler picks tokens for one answer.
type sampler struct {
	m       *model
	chain   uintptr
	grammar uintptr
	prompt  *engine.Prompt
}

func (m *model) newSampler(p *engine.Prompt) (*sampler, error) {
	l := m.lib
	c := &sampler{m: m, prompt: p, chain: l.chainInit(true)}
	if p.Presence != 0 || p.Frequency != 0 {
		l.chainAdd(c.chain, l.penalties(int32(m.size), penaltyWindow, 1, float32(p.Frequency), float32(p.Presence)))
	}
	if p.Temperature <= 0 {
		l.chainAdd(c.chain, l.greedy())
	} else {
		if p.TopK > 0 {
			l.chainAdd(c.chain, l.topK(int32(p.TopK)))
		}
		if p.TopP < 1 {
			l.chainAdd(c.chain, l.topP(float32(p.TopP), 1))
		}
		l.chainAdd(c.chain, l.temperature(float32(p.Temperature)))
		l.chainAdd(c.chain, l.dist(p.Seed))
	}
	if p.Grammar == "" {
		return c, nil
	}
	if p.Trigger == "" {
		c.grammar = l.grammar(m.vocab, p.Grammar, "root")
	} else {
		// The engine feeds the grammar from the first group of the expression.
		pattern := cText("[\\s\\S]*?(" + quoteExpression(p.Trigger) + ")[\\s\\S]*")
		c.grammar = l.lazyGrammar(m.vocab, p.Grammar, "root", &pattern, 1, 0, 0)
	}
	if c.grammar == 0 {
		c.free()
		return nil, &engine.Refusal{Message: "the engine cannot follow the schema"}
	}
	return c, nil
}

// quoteExpression escapes what an expression of the engine's language, which
// is that of ECMAScript, would read as an operator.
func quoteExpression(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\^$.|?*+()[]{}/-`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (c *sampler) free() {
	c.m.lib.samplerFree(c.chain)
	if c.grammar != 0 {
		c.m.lib.samplerFree(c.grammar)
	}
}

// next picks a token from the probabilities of the last one read. With a
// grammar it first tries whether the token the model would take anyway is
// allowed, which it mostly is; checking the whole vocabulary against the grammar
// takes longer than the model does.
func (c *sampler) next() int32 {
	l := c.m.lib
	if c.grammar == 0 {
		return l.sample(c.chain, c.m.chat, -1)
	}
	token := c.choose(0)
	one := tokenData{ID: token, Logit: 1}
	single := candidates{Data: &one, Size: 1, Selected: -1}
	l.apply(c.grammar, &single)
	if math.IsInf(float64(one.Logit), -1) {
		token = c.choose(c.grammar)
	}
	l.accept(c.grammar, token)
	l.accept(c.chain, token)
	return token
}

// choose applies the chain, after the grammar if there is one.
func (c *sampler) choose(grammar uintptr) int32 {
	all := c.m.vocabularyLogits()
	if grammar != 0 {
		c.m.lib.apply(grammar, all)
	}
	c.m.lib.apply(c.chain, all)
	if all.Selected < 0 || uint64(all.Selected) >= all.Size {
		return unsafe.Slice(all.Data, all.Size)[0].ID
	}
	return unsafe.Slice(all.Data, all.Size)[all.Selected].ID
}

// vocabularyLogits is the whole vocabulary with its logits.
func (m *model) vocabularyLogits() *candidates {
	if m.logitBuffer == nil {
		m.logitBuffer = make([]tokenData, m.size)
	}
	for i, logit := range unsafe.Slice(m.lib.logits(m.chat, -1), m.size) {
		m.logitBuffer[i] = tokenData{ID: int32(i), Logit: logit}
	}
	return &candidates{Data: &m.logitBuffer[0], Size: uint64(m.size), Selected: -1}
}

// report gives the probability of a token, before temperature and penalties,
// and those of the likeliest alternatives.
func (c *sampler) report(token int32) engine.Token {
	logits := unsafe.Slice(c.m.lib.logits(c.m.chat, -1), c.m.size)
	norm := float64(logits[token]) - logSoftmax(logits, token)
	logprob := func(id int32) engine.Token {
		return engine.Token{Text: string(c.m.piece(id)), ID: int(id), Logprob: float64(logits[id]) - norm}
	}
	out := logprob(token)
	for _, id := range topTokens(logits, c.prompt.Top) {
		out.Top = append(out.Top, logprob(id))
	}
	return out
}

// topTokens gives the n likeliest tokens, the likeliest first.
func topTokens(logits []float32, n int) []int32 {
	var top []int32
	for id, l := range logits {
		if len(top) == n && (n == 0 || l <= logits[top[n-1]]) {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, l, func(have int32, want float32) int {
			if logits[have] >= want {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, at, int32(id))
		top = top[:min(len(top), n)]
	}
	return top
}
