package git

import "fmt"

// Packet is a line in git's packet form: four digits of length, then the text.
func Packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// maxPacket is the longest packet of the protocol.
const maxPacket = 65520
