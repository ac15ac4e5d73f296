package grants

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A challenge has 256 bits and one spelling; a verifier proves its own.
func FuzzChallenge(f *testing.F) {
	// The example of RFC 7636, appendix B.
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	fuzztest.Strings(f,
		challenge, "", challenge+"\r\n", challenge+"=", strings.Repeat("A", 43), strings.Repeat("A", 44),
		strings.ReplaceAll(challenge, "-", "+"),
	)
	f.Fuzz(func(t *testing.T, text string) {
		if ok := IsChallenge(text); ok && (len(text) != 43 || strings.ContainsAny(text, "+/=\r\n")) {
			t.Errorf("%q is taken for a challenge", text)
		}
		if verifies(text, verifier) && text != challenge {
			t.Errorf("the challenge %q is proved", text)
		}
	})
}
