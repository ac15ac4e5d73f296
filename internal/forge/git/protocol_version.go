package git

// Protocol is the protocol version that a client asks for in its header, if it is one we
// know: the value reaches the program's environment.
func Protocol(header string) string {
	switch header {
	case "version=0", "version=1", "version=2":
		return header
	}
	return ""
}
