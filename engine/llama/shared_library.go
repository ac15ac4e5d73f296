//go:build linux && amd64

package llama

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Release is the release of llama.cpp the layouts below belong to.
const Release = "v0.5.0"

// reportedVersion is what its libraries say of themselves.
const reportedVersion = "0.5.0-dev"

// The libraries whose functions are called.
const (
	ggmlLibrary  = "libggml." + Release + ".so"
	llamaLibrary = "libllama." + Release + ".so"
)

// modelParams is llama_model_params of Release.
type modelParams struct {
	Devices, BufferOverrides                        uintptr
	GpuLayers, SplitMode, LoadMode, LazyMode, MainG int32
	TensorSplit, Progress, ProgressData, Overrides  uintptr
	VocabOnly, CheckTensors, ExtraBuffers           bool
	NoHost, NoAlloc, LoadMTP                        bool
}

// contextParams is llama_context_params of Release.
type contextParams struct {
	Context, Batch, MicroBatch, Sequences, Recurrent, Outputs, OutputsEach uint32
	Threads, BatchThreads                                                  int32
	Kind, RopeScaling, Pooling, Attention, Flash                           int32
	RopeBase, RopeScale, YarnExt, YarnAttn, YarnFast, YarnSlow             float32
	YarnContext                                                            uint32
	Defrag                                                                 float32
	Eval, EvalData                                                         uintptr
	TypeK, TypeV                                                           int32
	Abort, AbortData                                                       uintptr
	Embeddings, Offload, NoPerf, OpOffload, SwaFull, Unified               bool
	Samplers, SamplerCount, Other                                          uintptr
}

// batch is llama_batch of Release.
type batch struct {
	Count                                             int32
	Tokens, Embeddings, Positions, Counts, Seqs, Outs uintptr
}

// chatMessage is llama_chat_message, tokenData llama_token_data, candidates
// llama_token_data_array.
type (
	chatMessage struct{ Role, Content *byte }
	tokenData   struct {
		ID       int32
		Logit, P float32
	}
	candidates struct {
		Data     *tokenData
		Size     uint64
		Selected int64
		Sorted   bool
	}
)

// The sizes the C compiler gives these structures. Go lays them out alike; a
// difference means that a member above is wrong.
const (
	_ = uint(80 - unsafe.Sizeof(modelParams{}))
	_ = uint(unsafe.Sizeof(modelParams{}) - 80)
	_ = uint(160 - unsafe.Sizeof(contextParams{}))
	_ = uint(unsafe.Sizeof(contextParams{}) - 160)
	_ = uint(56 - unsafe.Sizeof(batch{}))
	_ = uint(unsafe.Sizeof(batch{}) - 56)
	_ = uint(32 - unsafe.Sizeof(candidates{}))
	_ = uint(unsafe.Sizeof(candidates{}) - 32)
)

// library holds the functions in use, under their C names without the prefix.
type library struct {
	backendLoadAll func(dir string)
	logSet         func(callback, data uintptr)
	version        func() string
	backendInit    func()

	modelDefaultParams   func() modelParams
	contextDefaultParams func() contextParams
	modelLoad            func(path string, p modelParams) uintptr
	contextInit          func(model uintptr, p contextParams) uintptr
	contextFree          func(ctx uintptr)
	modelVocab           func(model uintptr) uintptr
	modelTemplate        func(model uintptr, name uintptr) uintptr
	modelTrained         func(model uintptr) int32
	modelWidth           func(model uintptr) int32
	modelDescribe        func(model uintptr, buf *byte, size uint64) int32
	vocabSize            func(vocab uintptr) int32
	vocabEnds            func(vocab uintptr, token int32) bool
	contextSeq           func(ctx uintptr) uint32

	tokenize func(vocab uintptr, text *byte, length int32, tokens *int32, limit int32, special, parse bool) int32
	piece    func(vocab uintptr, token int32, buf *byte, length, strip int32, special bool) int32
	template func(tmpl uintptr, chat *chatMessage, n uint64, assistant bool, buf *byte, length int32) int32

	memory       func(ctx uintptr) uintptr
	memoryRemove func(mem uintptr, seq, from, to int32) bool
	memoryClear  func(mem uintptr, data bool)
	batchInit    func(tokens, embd, seqs int32) batch
	batchFree    func(b batch)
	decode       func(ctx uintptr, b batch) int32
	logits       func(ctx uintptr, i int32) *float32
	vector       func(ctx uintptr, seq int32) *float32

	chainInit   func(noPerf bool) uintptr
	chainAdd    func(chain, sampler uintptr)
	samplerFree func(s uintptr)
	greedy      func() uintptr
	dist        func(seed uint32) uintptr
	topK        func(k int32) uintptr
	topP        func(p float32, keep uint64) uintptr
	temperature func(t float32) uintptr
	penalties   func(vocab, last int32, repeat, freq, present float32) uintptr
	grammar     func(vocab uintptr, text, root string) uintptr
	lazyGrammar func(vocab uintptr, text, root string, patterns **byte, n uint64, tokens uintptr, m uint64) uintptr
	sample      func(chain, ctx uintptr, i int32) int32
	apply       func(s uintptr, c *candidates)
	accept      func(s uintptr, token int32)
}

// openLibrary loads the libraries in a folder and finds every function. A
// library of another release is refused before anything of it is called.
func openLibrary(dir string) (*library, error) {
	l := &library{}
	for _, name := range []string{"libggml-base.so", ggmlLibrary, llamaLibrary} {
		handle, err := purego.Dlopen(filepath.Join(dir, name), purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			return nil, fmt.Errorf("load the engine's library %s: %w", name, err)
		}
		if err := l.bind(handle, name); err != nil {
			return nil, err
		}
	}
	if got := l.version(); got != reportedVersion {
		return nil, fmt.Errorf("the engine in %s is of release %q, this program is made for %s; run: stoa models pull",
			dir, got, reportedVersion)
	}
	l.logSet(purego.NewCallback(logNative), 0)
	l.backendLoadAll(dir)
	l.backendInit()
	return l, nil
}

// logNative passes on warnings and errors; the engine also logs every detail of
// its work.
func logNative(level int32, text, _ uintptr) {
	const warning, failure = 3, 4
	if level != warning && level != failure {
		return
	}
	start := pointer[byte](text)
	for n := 0; n < 4096; n++ {
		if unsafe.Slice(start, n+1)[n] == 0 {
			fmt.Fprint(os.Stderr, string(unsafe.Slice(start, n)))
			return
		}
	}
}

func (l *library) bind(handle uintptr, name string) error {
	functions := map[string]any{}
	switch name {
	case ggmlLibrary:
		functions = map[string]any{"ggml_backend_load_all_from_path": &l.backendLoadAll}
	case llamaLibrary:
		functions = l.functions()
	}
	for symbol, target := range functions {
		address, err := purego.Dlsym(handle, symbol)
		if err != nil {
			return fmt.Errorf("the engine's library %s has no %s: %w", name, symbol, err)
		}
		purego.RegisterFunc(target, address)
	}
	return nil
}

func (l *library) functions() map[string]any {
	return map[string]any{
		"llama_log_set":                            &l.logSet,
		"llama_version":                            &l.version,
		"llama_backend_init":                       &l.backendInit,
		"llama_model_default_params":               &l.modelDefaultParams,
		"llama_context_default_params":             &l.contextDefaultParams,
		"llama_model_load_from_file":               &l.modelLoad,
		"llama_init_from_model":                    &l.contextInit,
		"llama_free":                               &l.contextFree,
		"llama_model_get_vocab":                    &l.modelVocab,
		"llama_model_chat_template":                &l.modelTemplate,
		"llama_model_n_ctx_train":                  &l.modelTrained,
		"llama_model_n_embd":                       &l.modelWidth,
		"llama_model_desc":                         &l.modelDescribe,
		"llama_vocab_n_tokens":                     &l.vocabSize,
		"llama_vocab_is_eog":                       &l.vocabEnds,
		"llama_n_ctx_seq":                          &l.contextSeq,
		"llama_tokenize":                           &l.tokenize,
		"llama_token_to_piece":                     &l.piece,
		"llama_chat_apply_template":                &l.template,
		"llama_get_memory":                         &l.memory,
		"llama_memory_seq_rm":                      &l.memoryRemove,
		"llama_memory_clear":                       &l.memoryClear,
		"llama_batch_init":                         &l.batchInit,
		"llama_batch_free":                         &l.batchFree,
		"llama_decode":                             &l.decode,
		"llama_get_logits_ith":                     &l.logits,
		"llama_get_embeddings_seq":                 &l.vector,
		"llama_sampler_chain_init":                 &l.chainInit,
		"llama_sampler_chain_add":                  &l.chainAdd,
		"llama_sampler_free":                       &l.samplerFree,
		"llama_sampler_init_greedy":                &l.greedy,
		"llama_sampler_init_dist":                  &l.dist,
		"llama_sampler_init_top_k":                 &l.topK,
		"llama_sampler_init_top_p":                 &l.topP,
		"llama_sampler_init_temp":                  &l.temperature,
		"llama_sampler_init_penalties":             &l.penalties,
		"llama_sampler_init_grammar":               &l.grammar,
		"llama_sampler_init_grammar_lazy_patterns": &l.lazyGrammar,
		"llama_sampler_sample":                     &l.sample,
		"llama_sampler_apply":                      &l.apply,
		"llama_sampler_accept":                     &l.accept,
	}
}
