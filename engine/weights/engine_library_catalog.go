package weights

import (
	_ "embed"
	"strings"
)

//go:embed libraries.tsv
var libraryHashes string

// Libraries are the engine's libraries for one kind of machine.
type Libraries struct {
	Release string
	Archive Archive
	// Folder holds the libraries in the archive; Files are their hashes by name.
	Folder string
	Files  map[string]string
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
