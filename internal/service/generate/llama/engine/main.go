// Command engine runs one language model for a Stoa server. It is started by
// the server, reads requests on its standard input, writes replies on its
// fourth file, and ends when the input does. People have no use for it.
package main

import (
	"fmt"
	"os"

	"stoa.dev/stoa/internal/service/generate/llama"
	"stoa.dev/stoa/internal/service/generate/llama/native"
)

func main() {
	// Native libraries print where they like; replies go where none can.
	replies := os.NewFile(llama.RepliesFile, "replies")
	if err := llama.Serve(os.Stdin, replies, native.Open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
