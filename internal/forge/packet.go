package forge

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// packet is a line in git's packet form: four digits of length, then the text.
func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// maxPacket is the longest packet of the protocol.
const maxPacket = 65520

// pushList is what a push wants to change.
type pushList struct {
	// refs are the names, in full, in the order of the request.
	refs []string
	// created counts those that are not there yet, as the client says.
	created int
	// capabilities are what the client understands.
	capabilities []string
	// length is how many bytes the list takes, with the packet that ends it.
	length int64
}

// readPushList reads the list of refs that a push wants to change, up to the
// packet that ends it. A list of more than most entries, one that is no list,
// or one with a name that cannot go on record is refused before git is started.
func readPushList(from io.Reader, most int) (l pushList, err error) {
	for count := 0; ; count++ {
		var digits [4]byte
		if _, err := io.ReadFull(from, digits[:]); err != nil {
			return l, errInvalid("the push ends before its list of refs does")
		}
		length, err := strconv.ParseUint(string(digits[:]), 16, 32)
		if err != nil || length > maxPacket || length > 0 && length < 4 {
			return l, errInvalid("the push is not in git's packet form")
		}
		if length == 0 {
			l.length += 4
			return l, nil
		}
		l.length += int64(length)
		if count >= most {
			return l, &Error{Code: CodeTooLarge, Message: fmt.Sprintf("a push may change at most %d refs", most)}
		}
		line := make([]byte, length-4)
		if _, err := io.ReadFull(from, line); err != nil {
			return l, errInvalid("the push ends before its list of refs does")
		}
		if err := l.add(line); err != nil {
			return l, err
		}
	}
}

// add takes one line: "OLD NEW REF", the first with the client's capabilities
// after a zero byte. Other lines name no ref.
func (l *pushList) add(line []byte) error {
	line, rest, first := bytes.Cut(line, []byte{0})
	if first && l.capabilities == nil {
		l.capabilities = strings.Fields(string(rest))
	}
	parts := bytes.SplitN(bytes.TrimSuffix(line, []byte("\n")), []byte(" "), 3)
	if len(parts) < 3 {
		return nil
	}
	ref := string(parts[2])
	if !recordable(ref) {
		return errInvalid("the name of a branch or tag is UTF-8 text of at most %d bytes", maxRefName)
	}
	l.refs = append(l.refs, ref)
	if string(parts[0]) == Zero {
		l.created++
	}
	return nil
}

// refusal is the report that nothing of the push was taken, in the form that
// the client asked for; empty when it asked for none, and without a reason.
func (l pushList) refusal(reason string) []byte {
	if reason == "" || !slices.Contains(l.capabilities, "report-status") && !slices.Contains(l.capabilities, "report-status-v2") {
		return nil
	}
	reason = strings.ReplaceAll(reason, "\n", " ")
	var report bytes.Buffer
	report.WriteString(packet("unpack " + reason + "\n"))
	for _, ref := range l.refs {
		report.WriteString(packet("ng " + ref + " " + reason + "\n"))
	}
	report.WriteString("0000")
	band := 0
	switch {
	case slices.Contains(l.capabilities, "side-band-64k"):
		band = maxPacket - 5
	case slices.Contains(l.capabilities, "side-band"):
		band = 995
	default:
		return report.Bytes()
	}
	var out bytes.Buffer
	out.WriteString(packet("\x02" + "error: " + reason + "\n"))
	for part := range slices.Chunk(report.Bytes(), band) {
		out.WriteString(packet("\x01" + string(part)))
	}
	out.WriteString("0000")
	return out.Bytes()
}
