package kms_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/kms"
)

// FuzzDecrypt hands back anything: only what was answered may open.
func FuzzDecrypt(f *testing.F) {
	var service *kms.Service
	identitytest.SQLite(f, func(w *world.World, identity *identity.Identity) module.Module {
		service = kms.New(w, identity, kms.DefaultConfig())
		return service.Module()
	})
	good, err := service.Encrypt(f.Context(), []byte("seed"))
	if err != nil {
		f.Fatal(err)
	}
	wrapped := good.Annotations[wrappedName]
	fuzztest.Add(f, good.Ciphertext, good.KeyID, wrappedName, wrapped)
	fuzztest.Add(f, []byte{}, "", "", []byte{})
	fuzztest.Add(f, good.Ciphertext, "local-0", "x.example.com", wrapped)
	f.Fuzz(func(t *testing.T, ciphertext []byte, id, name string, value []byte) {
		got, err := service.Decrypt(t.Context(), kms.Sealed{
			Ciphertext: ciphertext, KeyID: id, Annotations: map[string][]byte{name: value},
		})
		same := string(ciphertext) == string(good.Ciphertext) && id == good.KeyID && name == wrappedName &&
			string(value) == string(wrapped)
		if (err == nil) != same {
			t.Errorf("Decrypt = %q, %v; the answer itself: %v", got, err, same)
		}
		if err != nil && (code(err) == "" || len(err.Error()) > 400) {
			t.Errorf("Decrypt = %v, want a short error of ours", err)
		}
	})
}
