package forge

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// packet is a line in git's packet form: four digits of length, then the text.
func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// maxPacket is the longest packet of the protocol.
const maxPacket = 65520

// countedCommands reads the list of refs that a push wants to change, up to the
// packet that ends it, and gives the whole body back. A list of more than most
// entries, or one that is no list, is refused before git is started.
func countedCommands(body io.Reader, most int) (io.Reader, error) {
	var read bytes.Buffer
	from := io.TeeReader(body, &read)
	for count := 0; ; count++ {
		var digits [4]byte
		if _, err := io.ReadFull(from, digits[:]); err != nil {
			return nil, errInvalid("the push ends before its list of refs does")
		}
		length, err := strconv.ParseUint(string(digits[:]), 16, 32)
		if err != nil || length > maxPacket || length > 0 && length < 4 {
			return nil, errInvalid("the push is not in git's packet form")
		}
		if length == 0 {
			return io.MultiReader(&read, body), nil
		}
		if count >= most {
			return nil, &Error{Code: CodeTooLarge, Message: fmt.Sprintf("a push may change at most %d refs", most)}
		}
		if _, err := io.CopyN(io.Discard, from, int64(length)-4); err != nil {
			return nil, errInvalid("the push ends before its list of refs does")
		}
	}
}
