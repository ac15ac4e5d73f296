package signing

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/platform/world"
)

const (
	// keyBits is what RS256 is used with everywhere.
	keyBits = 2048
	// maxAge is how old the newest key becomes before the next is made.
	maxAge = 30 * 24 * time.Hour
	// publishedAhead is how long a key is published before it signs.
	publishedAhead = 24 * time.Hour
	// keptKeys are the newest ones: the one that signs and the one before or after it.
	keptKeys = 2
)

// Keys signs and publishes. It is safe for concurrent use.
type Keys struct {
	db    *database.DB
	clock clock.Clock
	ids   *ids.Source
	box   *seal.Box

	mu     sync.Mutex
	opened map[string]*rsa.PrivateKey // by id, those that are stored
}

// New makes the keys of a world.
func New(w *world.World) *Keys {
	k := &Keys{db: w.DB, clock: w.Clock, ids: w.IDs, opened: map[string]*rsa.PrivateKey{}}
	if w.Seal != nil {
		k.box = w.Seal.For(purpose)
	}
	return k
}

// storedKey is a row of the table.
type storedKey struct {
	id        string
	sealed    []byte
	createdAt time.Time
}

// PublicKey is what verifies, in the members of RFC 7517.
type PublicKey struct {
	ID       string `json:"kid"`
	Type     string `json:"kty"`
	Alg      string `json:"alg"`
	Use      string `json:"use"`
	Modulus  string `json:"n"`
	Exponent string `json:"e"`
}

// Public lists the published keys, the newest first.
func (k *Keys) Public(ctx context.Context) ([]PublicKey, error) {
	stored, err := k.stored(ctx)
	if err != nil {
		return nil, err
	}
	public := make([]PublicKey, len(stored))
	for n, s := range stored {
		private, err := k.open(s)
		if err != nil {
			return nil, err
		}
		modulus, exponent := parts(&private.PublicKey)
		public[n] = PublicKey{ID: s.id, Type: "RSA", Alg: algorithm, Use: "sig", Modulus: modulus, Exponent: exponent}
	}
	return public, nil
}

// stored lists the keys, the newest first, after making the one that is due.
func (k *Keys) stored(ctx context.Context) ([]storedKey, error) {
	list, err := storedKeys(ctx, k.db)
	if err != nil || !k.isDue(list) {
		return list, err
	}
	fresh, err := k.generate()
	if err != nil {
		return nil, err
	}
	err = k.db.WriteKeyed(ctx, "identity/signing", func(ctx context.Context, tx *database.Tx) error {
		// Another process may have made it meanwhile.
		if list, err = storedKeys(ctx, tx); err != nil || !k.isDue(list) {
			return err
		}
		list = slices.Insert(list, 0, fresh)
		if err := insertKey(ctx, tx, fresh); err != nil {
			return err
		}
		for _, old := range list[min(keptKeys, len(list)):] {
			if err := deleteKey(ctx, tx, old.id); err != nil {
				return err
			}
		}
		list = list[:min(keptKeys, len(list))]
		return nil
	})
	return list, err
}

// isDue reports whether the newest of the keys is too old.
func (k *Keys) isDue(list []storedKey) bool {
	return len(list) == 0 || !k.now().Before(list[0].createdAt.Add(maxAge))
}

// signer is the newest key that has been published long enough; a world's first key
// signs at once.
func (k *Keys) signer(ctx context.Context) (storedKey, error) {
	list, err := k.stored(ctx)
	if err != nil {
		return storedKey{}, err
	}
	for _, s := range list {
		if !k.now().Before(s.createdAt.Add(publishedAhead)) {
			return s, nil
		}
	}
	return list[len(list)-1], nil
}

func (k *Keys) generate() (storedKey, error) {
	if k.box == nil {
		return storedKey{}, errors.New("signing: there is no root key to seal a private key under")
	}
	private, err := GenerateKey(k.ids)
	if err != nil {
		return storedKey{}, fmt.Errorf("make a key for id tokens: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return storedKey{}, fmt.Errorf("encode a key for id tokens: %w", err)
	}
	id := thumbprint(&private.PublicKey)
	return storedKey{id: id, sealed: k.box.Seal(der, place(id)), createdAt: k.now()}, nil
}

// open unseals a private key, once for each that is stored.
func (k *Keys) open(s storedKey) (*rsa.PrivateKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if private := k.opened[s.id]; private != nil {
		return private, nil
	}
	der, err := k.box.Open(s.sealed, place(s.id))
	if err != nil {
		return nil, fmt.Errorf("open the key for id tokens: %w", err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("read the key for id tokens: %w", err)
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("signing: the stored key is of another type")
	}
	if len(k.opened) > keptKeys {
		clear(k.opened)
	}
	k.opened[s.id] = private
	return private, nil
}

func (k *Keys) now() time.Time { return k.clock.Now().UTC().Truncate(time.Microsecond) }

// place binds a sealed key to its row.
func place(id string) []byte { return []byte("identity_signing_keys " + id) }

// parts are the numbers of a public key as RFC 7518 writes them.
func parts(key *rsa.PublicKey) (modulus, exponent string) {
	encode := base64.RawURLEncoding.EncodeToString
	return encode(key.N.Bytes()), encode(big.NewInt(int64(key.E)).Bytes())
}

// thumbprint names a key by what it is (RFC 7638).
func thumbprint(key *rsa.PublicKey) string {
	modulus, exponent := parts(key)
	sum := sha256.Sum256([]byte(`{"e":"` + exponent + `","kty":"RSA","n":"` + modulus + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// sign is the signature of RS256.
func sign(key *rsa.PrivateKey, text string) ([]byte, error) {
	sum := sha256.Sum256([]byte(text))
	return rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
}

// verify reports whether the signature is the key's.
func verify(key *rsa.PublicKey, text string, signature []byte) bool {
	sum := sha256.Sum256([]byte(text))
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) == nil
}
