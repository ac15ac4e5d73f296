package markdown

import (
	_ "embed"
	"strings"
	"sync"
)

// emojiTable are the names that are known, in the spelling that chats and code
// hosts share. Reactions and :name: in a text both use it.
//
//go:embed emoji.txt
var emojiTable string

// emojis is an immutable table, the same in all worlds of a process.
var emojis = sync.OnceValue(emojiByName)

// emojiByName are the characters by name.
func emojiByName() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(emojiTable) {
		if name, glyph, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			out[name] = glyph
		}
	}
	return out
}
