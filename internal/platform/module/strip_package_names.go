package module

import "regexp"

// inner matches the names of packages that errors begin with and that say nothing to a reader. The architecture test
// fails when one of the tree is missing.
var inner = regexp.MustCompile(`(^|: )(?:attest|audit|blob|build|bytepairs|database|deliver|discovery|evaluate|execute|` +
	`flight|forge|grants|identity|jobs|limit|local|onnx|passwords|recipe|redeem|registry|sandbox|seal|seccomp|sentence|` +
	`settings|signing|sqlite|wire): `)

// PlainMessage is an error without the names of the packages that it passed.
func PlainMessage(text string) string {
	for range 4 { // a name that stands after another begins where the match ended
		next := inner.ReplaceAllString(text, "$1")
		if next == text {
			break
		}
		text = next
	}
	return text
}
