//go:build linux && amd64

package llama

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/engine"
)

// block is how many tokens of a prompt are read at once. Prompts are cut at
// multiples of it, wherever they start, so that the same text is always read
// in the same pieces: see slot.
const block = 64

// model is an opened model with its conversations.
type model struct {
	lib     *library
	load    engine.Load
	handle  uintptr
	vocab   uintptr
	chat    uintptr // the context of conversations
	vectors uintptr // the context of embeddings, made at their first use
	scores  uintptr // the context of scores, made at their first use
	size    int     // of the vocabulary
	slots   []*slot
	turn    int64
	// contextSize is how many tokens one conversation may have.
	contextSize int
	promptBatch batch
	logitBuffer []tokenData // reused for every token that is sampled by hand
}

// Open loads libraries and weights.
func Open(load engine.Load) (engine.Model, error) {
	lib, err := openLibrary(load.Libraries)
	if err != nil {
		return nil, err
	}
	p := lib.modelDefaultParams()
	p.GpuLayers = 0
	m := &model{lib: lib, load: load, handle: lib.modelLoad(load.Weights, p)}
	if m.handle == 0 {
		return nil, fmt.Errorf("the engine cannot read the weights in %s", load.Weights)
	}
	m.vocab = lib.modelVocab(m.handle)
	m.size = int(lib.vocabSize(m.vocab))
	c := lib.contextDefaultParams()
	c.Context, c.Sequences, c.Unified = uint32(load.Context*load.Slots), uint32(load.Slots), false
	c.Batch, c.MicroBatch = block, block
	c.Threads, c.BatchThreads, c.NoPerf = int32(load.Threads), int32(load.Threads), true
	if m.chat = lib.contextInit(m.handle, c); m.chat == 0 {
		return nil, errors.New(
			"the engine has no memory for conversations of this length; lower generate.local.context or slots")
	}
	m.contextSize = int(lib.contextSeq(m.chat))
	m.promptBatch = lib.batchInit(block, 0, 1)
	for i := range load.Slots {
		m.slots = append(m.slots, &slot{number: int32(i)})
	}
	return m, nil
}

// Info describes the model.
func (m *model) Info() engine.Info {
	buf := make([]byte, 256)
	n := m.lib.modelDescribe(m.handle, &buf[0], uint64(len(buf)))
	return engine.Info{
		Description: string(buf[:max(0, min(int(n), len(buf)-1))]), Vocabulary: m.size,
		Trained: int(m.lib.modelTrained(m.handle)), Context: m.contextSize, Width: int(m.lib.modelWidth(m.handle)),
	}
}
