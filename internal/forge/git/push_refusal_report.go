package git

import (
	"bytes"
	"slices"
	"strings"
)

// Refusal is the report that nothing of the push was taken, in the form that
// the client asked for; empty when it asked for none, and without a reason.
func (l PushList) Refusal(reason string) []byte {
	reports := l.can("report-status") || l.can("report-status-v2")
	if reason == "" || !reports {
		return nil
	}
	reason = strings.ReplaceAll(reason, "\n", " ")
	var report bytes.Buffer
	report.WriteString(Packet("unpack " + reason + "\n"))
	for _, ref := range l.Refs {
		report.WriteString(Packet("ng " + ref + " " + reason + "\n"))
	}
	report.WriteString("0000")
	band := 0
	switch {
	case l.can("side-band-64k"):
		band = maxPacket - 5
	case l.can("side-band"):
		band = 995
	default:
		return report.Bytes()
	}
	var out bytes.Buffer
	out.WriteString(Packet("\x02" + "error: " + reason + "\n"))
	for part := range slices.Chunk(report.Bytes(), band) {
		out.WriteString(Packet("\x01" + string(part)))
	}
	out.WriteString("0000")
	return out.Bytes()
}

// can reports whether the client understands something.
func (l PushList) can(capability string) bool { return slices.Contains(l.capabilities, capability) }
