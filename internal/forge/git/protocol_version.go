package git

import "net/http"

// Protocol is the protocol version that the client asks for, if it is one we know:
// the value reaches the program's environment.
func Protocol(r *http.Request) string {
	switch version := r.Header.Get("Git-Protocol"); version {
	case "version=0", "version=1", "version=2":
		return version
	}
	return ""
}
