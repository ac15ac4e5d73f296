package tokens

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
)

func TestProofKeys(t *testing.T) {
	t.Parallel()
	challenge := strings.Repeat("a", 42) + "A"
	for _, tc := range []struct {
		name   string
		client identity.ClientType
		r      authorizeRequest
		valid  bool
	}{
		{"with a secret, without a key", identity.ClientWeb, authorizeRequest{}, true},
		{
			"with a secret and a key", identity.ClientWeb, authorizeRequest{Challenge: challenge, ChallengeMethod: "S256"}, true,
		},
		{"without both", identity.ClientDevice, authorizeRequest{}, false},
		{"plain", identity.ClientDevice, authorizeRequest{Challenge: challenge, ChallengeMethod: "plain"}, false},
		{"too short", identity.ClientDevice, authorizeRequest{Challenge: "a", ChallengeMethod: "S256"}, false},
		{"method without a key", identity.ClientWeb, authorizeRequest{ChallengeMethod: "S256"}, false},
	} {
		if err := checkProof(identity.Client{Type: tc.client}, tc.r); (err == nil) != tc.valid {
			t.Errorf("%s: got %v, want valid %v", tc.name, err, tc.valid)
		}
	}
}
