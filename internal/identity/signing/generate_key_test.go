package signing

import (
	"crypto/rsa"
	"crypto/sha256"
	"testing"

	"stoa.dev/stoa/internal/platform/ids"
)

// TestGeneratedKeys: the same seed gives the same key, another one another, and
// crypto/rsa takes them for what they are.
func TestGeneratedKeys(t *testing.T) {
	t.Parallel()
	made := func(source *ids.Source) *rsa.PrivateKey {
		key, err := GenerateKey(source)
		if err != nil {
			t.Fatal(err)
		}
		if key.N.BitLen() != keyBits {
			t.Errorf("the key has %d bits, want %d", key.N.BitLen(), keyBits)
		}
		return key
	}
	first, again, other := made(ids.Seeded(1)), made(ids.Seeded(1)), made(ids.Random())
	if !first.Equal(again) || first.Equal(other) {
		t.Error("a seed does not make its key")
	}
	hidden, err := rsa.EncryptOAEP(sha256.New(), ids.Random(), &other.PublicKey, []byte("text"), nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := rsa.DecryptOAEP(sha256.New(), nil, other, hidden, nil)
	if err != nil || string(plain) != "text" {
		t.Errorf("decrypted %q, %v", plain, err)
	}
}
