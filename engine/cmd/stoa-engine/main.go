// Command stoa-engine runs one language model for a Stoa server. It is started by
// the server, reads requests on its standard input, writes replies on its
// fourth file, and ends when the input does. It is not for use by hand.
package main

import (
	"fmt"
	"os"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/llama"
)

func main() {
	// Native libraries print where they like; replies go where none can.
	replies := os.NewFile(engine.RepliesFile, "replies")
	if err := engine.Serve(os.Stdin, replies, llama.Open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
