package project

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
)

// Key is a key pair without its private half.
type Key struct {
	ID          int64
	RepoID      int64
	Kind        KeyKind
	Hostname    string
	Login       string
	PublicKey   string
	MD5, SHA256 string
	Preferred   bool
	CreatedAt   time.Time
	sealed      []byte
}

// KeyKind is what a key pair is for.
type KeyKind string

// The kinds: checkouts as the project, checkouts as a user, and other hosts.
const (
	DeployKey KeyKind = "deploy-key"
	UserKey   KeyKind = "user-key"
	HostKey   KeyKind = "ssh"
)

// Bounds of key pairs.
const (
	maxKeys       = 100
	maxPrivateKey = 16 << 10
	maxHostname   = 255
)

// withPublic adds the public half and both fingerprints.
func (k Key) withPublic(signer ssh.Signer) Key {
	public := signer.PublicKey()
	k.PublicKey = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
	k.MD5 = ssh.FingerprintLegacyMD5(public)
	k.SHA256 = strings.TrimPrefix(ssh.FingerprintSHA256(public), "SHA256:")
	return k
}

// matches reports whether a fingerprint, in either form, is the key's.
func (k Key) matches(fingerprint string) bool {
	bare := strings.TrimPrefix(strings.TrimPrefix(fingerprint, "SHA256:"), "MD5:")
	return k.MD5 == bare || k.SHA256 == strings.TrimRight(bare, "=")
}

// CreateCheckoutKey makes a key pair that identifies the project to its code host.
func (p *Projects) CreateCheckoutKey(ctx context.Context, r forge.Repository, kind KeyKind, login string) (Key, error) {
	k, err := p.newCheckoutKey(r, kind, login)
	if err != nil {
		return Key{}, err
	}
	return k, p.addKey(ctx, k)
}

// newCheckoutKey makes a key pair that is not kept yet.
func (p *Projects) newCheckoutKey(r forge.Repository, kind KeyKind, login string) (Key, error) {
	_, private, err := ed25519.GenerateKey(p.world.IDs)
	if err != nil {
		return Key{}, err
	}
	block, err := ssh.MarshalPrivateKey(crypto.PrivateKey(private), "stoa:"+r.FullName())
	if err != nil {
		return Key{}, err
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		return Key{}, err
	}
	k := Key{RepoID: r.ID, Kind: kind, Login: login, Preferred: true, CreatedAt: p.now()}.withPublic(signer)
	return p.withPrivate(k, pem.EncodeToMemory(block)), nil
}

// AddHostKey keeps a key for another host.
func (p *Projects) AddHostKey(ctx context.Context, r forge.Repository, hostname, private string) (Key, error) {
	if len(private) > maxPrivateKey || len(hostname) > maxHostname || strings.ContainsAny(hostname, " \t\r\n\x00*?!,") {
		return Key{}, errInvalid("hostname must be one host name, and private_key one key")
	}
	if !strings.HasSuffix(private, "\n") {
		private += "\n"
	}
	signer, err := ssh.ParsePrivateKey([]byte(private))
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return Key{}, errInvalid("private_key is protected by a passphrase; remove it with ssh-keygen -p")
	case err != nil:
		return Key{}, errInvalid("private_key is not a private key in PEM or OpenSSH form")
	}
	k := Key{RepoID: r.ID, Kind: HostKey, Hostname: hostname, CreatedAt: p.now()}.withPublic(signer)
	k = p.withPrivate(k, []byte(private))
	return k, p.addKey(ctx, k)
}

// withPrivate adds the private half, sealed.
func (p *Projects) withPrivate(k Key, private []byte) Key {
	k.sealed = p.seal(k.RepoID, "key/"+k.SHA256, private)
	return k
}

func (p *Projects) addKey(ctx context.Context, k Key) error {
	list := checkoutKeys
	if k.Kind == HostKey {
		list = hostKeys
	}
	return p.change(ctx, k.RepoID, func(ctx context.Context, tx *database.Tx) error {
		all, err := list(ctx, tx, k.RepoID)
		if err != nil {
			return err
		}
		if len(all) >= maxKeys {
			return errInvalid("a project has at most %d keys", maxKeys)
		}
		for _, other := range all {
			if other.SHA256 == k.SHA256 && other.Hostname == k.Hostname {
				return nil // the same key again changes nothing
			}
		}
		return insertKey(ctx, tx, k)
	})
}

// CheckoutKeys lists the keys that identify the project to its code host.
func (p *Projects) CheckoutKeys(ctx context.Context, r forge.Repository) ([]Key, error) {
	return checkoutKeys(ctx, p.world.DB, r.ID)
}

// CheckoutKey finds a key by its fingerprint.
func (p *Projects) CheckoutKey(ctx context.Context, r forge.Repository, fingerprint string) (Key, error) {
	return checkoutKeyBy(ctx, p.world.DB, r.ID, fingerprint)
}

func checkoutKeyBy(ctx context.Context, q database.Querier, repoID int64, fingerprint string) (Key, error) {
	all, err := checkoutKeys(ctx, q, repoID)
	if err != nil {
		return Key{}, err
	}
	for _, k := range all {
		if k.matches(fingerprint) {
			return k, nil
		}
	}
	return Key{}, errNotFound("Checkout key not found")
}

// DeleteCheckoutKey removes a key; if it was the preferred one, the oldest takes its place.
func (p *Projects) DeleteCheckoutKey(ctx context.Context, r forge.Repository, fingerprint string) error {
	return p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		k, err := checkoutKeyBy(ctx, tx, r.ID, fingerprint)
		if err != nil {
			return err
		}
		if err := deleteKey(ctx, tx, k.ID); err != nil {
			return err
		}
		return preferOldest(ctx, tx, r.ID)
	})
}

// DeleteHostKey removes the keys of a host, or the one with a fingerprint.
func (p *Projects) DeleteHostKey(ctx context.Context, r forge.Repository, hostname, fingerprint string) error {
	return p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		all, err := hostKeys(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		deleted := false
		for _, k := range all {
			if fingerprint != "" && !k.matches(fingerprint) || k.Hostname != hostname &&
				(hostname != "" || fingerprint == "") {
				continue
			}
			deleted = true
			if err := deleteKey(ctx, tx, k.ID); err != nil {
				return err
			}
		}
		if !deleted {
			return errNotFound("SSH key not found")
		}
		return nil
	})
}

// PrivateKey is a key that jobs may use. Host is empty for one that serves every host.
type PrivateKey struct {
	Host, Fingerprint string
	Preferred         bool
	Private           []byte
}

// PrivateKeys are the keys that a job of the project may use, unsealed.
func (p *Projects) PrivateKeys(ctx context.Context, repoID int64) ([]PrivateKey, error) {
	checkout, err := checkoutKeys(ctx, p.world.DB, repoID)
	if err != nil {
		return nil, err
	}
	hosts, err := hostKeys(ctx, p.world.DB, repoID)
	if err != nil {
		return nil, err
	}
	var keys []PrivateKey
	for _, k := range append(hosts, checkout...) {
		private, err := p.unseal(repoID, "key/"+k.SHA256, k.sealed)
		if err != nil {
			return nil, err
		}
		keys = append(keys, PrivateKey{Host: k.Hostname, Fingerprint: k.MD5, Preferred: k.Preferred, Private: private})
	}
	return keys, nil
}
