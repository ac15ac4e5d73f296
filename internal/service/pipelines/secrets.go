package pipelines

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// The bounds of an environment variable.
const (
	maxVariableName  = 300
	maxVariableValue = 32 << 10
	maxVariables     = 500
)

// Variable is an environment variable as answers show it: the value masked.
type Variable struct{ Name, Masked string }

// mask shows the last four characters of a value that has enough others.
func mask(value string) string {
	if len(value) < 8 {
		return "xxxx"
	}
	return "xxxx" + strings.ToValidUTF8(value[len(value)-4:], "")
}

func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxVariableName
}

// aad binds a sealed value to its place, so that rows cannot be swapped.
func aad(repoID int64, name string) []byte { return []byte(strconv.FormatInt(repoID, 10) + "/" + name) }

func (s *Service) seal(repoID int64, name string, plain []byte) []byte {
	return s.world.Seal.For(Name).Seal(plain, aad(repoID, name))
}

func (s *Service) unseal(repoID int64, name string, sealed []byte) ([]byte, error) {
	plain, err := s.world.Seal.For(Name).Open(sealed, aad(repoID, name))
	if err != nil {
		return nil, fmt.Errorf("secret %s of project %d: %w", name, repoID, err)
	}
	return plain, nil
}

// SetVariable adds or replaces a variable.
func (s *Service) SetVariable(ctx context.Context, r forge.Repository, name, value string) (Variable, error) {
	switch {
	case !isVariable(name):
		return Variable{}, errInvalid("name must be letters, digits and _ and must not start with a digit, not " + clip(name))
	case len(value) > maxVariableValue || strings.ContainsRune(value, 0):
		return Variable{}, errInvalid("value must be text of at most 32 kB without NUL")
	}
	sealed := s.seal(r.ID, name, []byte(value))
	err := s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		all, err := variables(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if len(all) >= maxVariables && !slices.ContainsFunc(all, func(v variable) bool { return v.name == name }) {
			return errInvalid("a project has at most 500 variables")
		}
		return putVariable(ctx, tx, r.ID, variable{name, sealed}, s.now())
	})
	return Variable{name, mask(value)}, err
}

// Variables lists the variables of a project by name.
func (s *Service) Variables(ctx context.Context, r forge.Repository) ([]Variable, error) {
	all, err := variables(ctx, s.world.DB, r.ID)
	if err != nil {
		return nil, err
	}
	list := make([]Variable, 0, len(all))
	for _, v := range all {
		plain, err := s.unseal(r.ID, v.name, v.sealed)
		if err != nil {
			return nil, err
		}
		list = append(list, Variable{v.name, mask(string(plain))})
	}
	return list, nil
}

// Variable finds one.
func (s *Service) Variable(ctx context.Context, r forge.Repository, name string) (Variable, error) {
	v, err := variableByName(ctx, s.world.DB, r.ID, name)
	if errors.Is(err, database.ErrNotFound) {
		return Variable{}, errNotFound("Environment variable")
	}
	if err != nil {
		return Variable{}, err
	}
	plain, err := s.unseal(r.ID, v.name, v.sealed)
	return Variable{v.name, mask(string(plain))}, err
}

// DeleteVariable removes one.
func (s *Service) DeleteVariable(ctx context.Context, r forge.Repository, name string) error {
	return s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		gone, err := deleteVariable(ctx, tx, r.ID, name)
		if err == nil && !gone {
			return errNotFound("Environment variable")
		}
		return err
	})
}

// openVariables is what a job finds in its environment.
func (s *Service) openVariables(ctx context.Context, repoID int64) (map[string]string, error) {
	all, err := variables(ctx, s.world.DB, repoID)
	if err != nil {
		return nil, err
	}
	env := make(map[string]string, len(all))
	for _, v := range all {
		plain, err := s.unseal(repoID, v.name, v.sealed)
		if err != nil {
			return nil, err
		}
		env[v.name] = string(plain)
	}
	return env, nil
}

// keyPair gives a private key its public half and both fingerprints.
func keyPair(k Key, signer ssh.Signer) Key {
	public := signer.PublicKey()
	k.PublicKey = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
	k.MD5 = ssh.FingerprintLegacyMD5(public)
	k.SHA256 = strings.TrimPrefix(ssh.FingerprintSHA256(public), "SHA256:")
	return k
}

// maxKeys bounds the key pairs of a project.
const maxKeys = 100

// CreateCheckoutKey makes a key pair with which the code host knows us.
func (s *Service) CreateCheckoutKey(ctx context.Context, r forge.Repository, kind KeyKind, login string) (Key, error) {
	_, private, err := ed25519.GenerateKey(s.world.IDs)
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
	k := keyPair(Key{RepoID: r.ID, Kind: kind, Login: login, Preferred: true, CreatedAt: s.now()}, signer)
	return k, s.addKey(ctx, k, pem.EncodeToMemory(block))
}

// AddHostKey keeps a key for another host.
func (s *Service) AddHostKey(ctx context.Context, r forge.Repository, hostname, private string) (Key, error) {
	if len(private) > 16<<10 || len(hostname) > 255 || strings.ContainsAny(hostname, " \t\r\n\x00*?!,") {
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
		return Key{}, errInvalid("private_key is no private key in PEM or OpenSSH form")
	}
	k := keyPair(Key{RepoID: r.ID, Kind: HostKey, Hostname: hostname, CreatedAt: s.now()}, signer)
	return k, s.addKey(ctx, k, []byte(private))
}

func (s *Service) addKey(ctx context.Context, k Key, private []byte) error {
	k.sealed = s.seal(k.RepoID, "key/"+k.SHA256, private)
	return s.change(ctx, k.RepoID, func(ctx context.Context, tx *database.Tx) error {
		all, err := s.keysLike(ctx, tx, k)
		if err != nil {
			return err
		}
		if len(all) >= maxKeys {
			return errInvalid("a project has at most 100 keys")
		}
		for _, other := range all {
			if other.SHA256 == k.SHA256 && other.Hostname == k.Hostname {
				return nil // the same key again changes nothing
			}
		}
		return insertKey(ctx, tx, k)
	})
}

func (s *Service) keysLike(ctx context.Context, q database.Querier, k Key) ([]Key, error) {
	if k.Kind == HostKey {
		return hostKeys(ctx, q, k.RepoID)
	}
	return checkoutKeys(ctx, q, k.RepoID)
}

// CheckoutKeys lists the keys with which the code host knows us.
func (s *Service) CheckoutKeys(ctx context.Context, r forge.Repository) ([]Key, error) {
	return checkoutKeys(ctx, s.world.DB, r.ID)
}

// HostKeys lists the keys for other hosts.
func (s *Service) HostKeys(ctx context.Context, r forge.Repository) ([]Key, error) {
	return hostKeys(ctx, s.world.DB, r.ID)
}

// matches reports whether a fingerprint, in either form, is the key's.
func (k Key) matches(fingerprint string) bool {
	bare := strings.TrimPrefix(strings.TrimPrefix(fingerprint, "SHA256:"), "MD5:")
	return k.MD5 == bare || k.SHA256 == strings.TrimRight(bare, "=")
}

// CheckoutKey finds a key by its fingerprint.
func (s *Service) CheckoutKey(ctx context.Context, r forge.Repository, fingerprint string) (Key, error) {
	all, err := checkoutKeys(ctx, s.world.DB, r.ID)
	if err != nil {
		return Key{}, err
	}
	for _, k := range all {
		if k.matches(fingerprint) {
			return k, nil
		}
	}
	return Key{}, errNotFound("Checkout key")
}

// DeleteCheckoutKey removes a key.
func (s *Service) DeleteCheckoutKey(ctx context.Context, r forge.Repository, fingerprint string) error {
	return s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		all, err := checkoutKeys(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		for _, k := range all {
			if k.matches(fingerprint) {
				if err := deleteKey(ctx, tx, k.ID); err != nil {
					return err
				}
				return preferOldest(ctx, tx, r.ID)
			}
		}
		return errNotFound("Checkout key")
	})
}

// DeleteHostKey removes the keys of a host, or the one with a fingerprint.
func (s *Service) DeleteHostKey(ctx context.Context, r forge.Repository, hostname, fingerprint string) error {
	return s.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		all, err := hostKeys(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		gone := false
		for _, k := range all {
			if fingerprint != "" && !k.matches(fingerprint) || k.Hostname != hostname && (hostname != "" || fingerprint == "") {
				continue
			}
			gone = true
			if err := deleteKey(ctx, tx, k.ID); err != nil {
				return err
			}
		}
		if !gone {
			return errNotFound("SSH key")
		}
		return nil
	})
}

// openKeys are the private keys that a job of the project may use.
func (s *Service) openKeys(ctx context.Context, repoID int64) ([]execute.Key, error) {
	checkout, err := checkoutKeys(ctx, s.world.DB, repoID)
	if err != nil {
		return nil, err
	}
	hosts, err := hostKeys(ctx, s.world.DB, repoID)
	if err != nil {
		return nil, err
	}
	var keys []execute.Key
	for _, k := range append(hosts, checkout...) {
		private, err := s.unseal(repoID, "key/"+k.SHA256, k.sealed)
		if err != nil {
			return nil, err
		}
		keys = append(keys, execute.Key{Host: k.Hostname, Fingerprint: k.MD5, Private: private})
	}
	return keys, nil
}

// preferredKey is the fingerprint of the key that checkouts use.
func (s *Service) preferredKey(ctx context.Context, repoID int64) (string, error) {
	all, err := checkoutKeys(ctx, s.world.DB, repoID)
	for _, k := range all {
		if k.Preferred {
			return k.MD5, err
		}
	}
	return "", err
}
