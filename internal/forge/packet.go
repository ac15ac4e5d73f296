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

// checkedCommands reads the list of refs that a push wants to change, up to the
// packet that ends it, and gives the whole body back. A list of more than most
// entries, one that is no list, or one with a name that cannot go on record is
// refused before git is started.
func checkedCommands(body io.Reader, most int) (io.Reader, error) {
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
		line := make([]byte, length-4)
		if _, err := io.ReadFull(from, line); err != nil {
			return nil, errInvalid("the push ends before its list of refs does")
		}
		if !recordable(commandRef(line)) {
			return nil, errInvalid("the name of a branch or tag is UTF-8 text of at most %d bytes", maxRefName)
		}
	}
}

// commandRef is the ref of "OLD NEW REF", before the client's capabilities.
// Other lines name none.
func commandRef(line []byte) string {
	line, _, _ = bytes.Cut(line, []byte{0})
	parts := bytes.SplitN(bytes.TrimSuffix(line, []byte("\n")), []byte(" "), 3)
	if len(parts) < 3 {
		return ""
	}
	return string(parts[2])
}
