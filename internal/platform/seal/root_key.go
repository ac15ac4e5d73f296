package seal

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"stoa.dev/stoa/internal/platform/durable"
	"stoa.dev/stoa/internal/platform/ids"
)

// Files in the data folder.
const (
	KeyFile   = "root.key"
	CheckFile = "root.check"
)

// maxKeyFile bounds what is read of a key file: longer than every accepted form with its line end.
const maxKeyFile = 128

// Errors of Open, for errors.Is; the text around them names the file and what to do.
var (
	ErrWrongKey  = errors.New("seal: the root key is not the one this data folder was made with")
	ErrExposed   = errors.New("seal: the key file is open to others than its owner")
	ErrMalformed = errors.New("seal: the key file holds no root key")
	ErrMissing   = errors.New("seal: the root key is missing")
)

// Open reads the root key and checks it against the data folder dir, which must exist. With an empty keyFile the key
// is dir's own, made on the first call; several processes that do so at once all get the same key. With a keyFile
// the operator's key is used and never written anywhere.
func Open(dir, keyFile string, source *ids.Source) (*Box, error) {
	root, err := rootKey(dir, keyFile, source)
	if err != nil {
		return nil, err
	}
	b := newBox(root, source)
	if err := b.match(dir, source); err != nil {
		return nil, err
	}
	return b, nil
}

func rootKey(dir, keyFile string, source *ids.Source) ([]byte, error) {
	if keyFile != "" {
		root, err := readKey(keyFile, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: root_key (STOA_ROOT_KEY) names its file: correct the path, or restore the file: %w",
				ErrMissing, err)
		}
		return root, err
	}
	path := filepath.Join(dir, KeyFile)
	// Inside the data folder a link has no business; an operator's file may well be one, as mounted secrets are.
	root, err := readKey(path, noFollow)
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if _, err := os.Lstat(filepath.Join(dir, CheckFile)); err == nil {
		// The key comes before its check value: another process may have made both since the first look.
		if root, err = readKey(path, noFollow); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s is gone, but %s shows that there was one; restore it, or hand in the key file",
				ErrMissing, path, CheckFile)
		}
		return root, err
	}
	fresh := make([]byte, keySize)
	_, _ = source.Read(fresh) // never fails
	if _, err := createOnce(path, hex.EncodeToString(fresh)+"\n", source); err != nil {
		return nil, fmt.Errorf("seal: make %s: %w", path, err)
	}
	// Read back, because another process may have been first.
	return readKey(path, noFollow)
}

// match compares the key with the folder's check value and leaves one on the first call.
func (b *Box) match(dir string, source *ids.Source) error {
	path := filepath.Join(dir, CheckFile)
	made, err := createOnce(path, b.Check()+"\n", source)
	if err != nil {
		return fmt.Errorf("seal: make %s: %w", path, err)
	}
	if made {
		b.left = path
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(strings.TrimSpace(string(kept))), []byte(b.Check())) != 1 {
		return fmt.Errorf("%w: %s does not match; start with the key file that was used before", ErrWrongKey, path)
	}
	return nil
}

// Withdraw takes back the check value that Open left, if it did: the key turned out not to be the one of the data, and
// the folder must not refuse the right one for it.
func (b *Box) Withdraw() error {
	if b.left == "" {
		return nil
	}
	err := os.Remove(b.left)
	b.left = ""
	return err
}

func readKey(path string, flag int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flag, 0)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	defer f.Close()
	// The open file is examined, not the name: nothing can be swapped in between.
	if err := private(f); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	root, ok := decodeKey(text)
	if !ok {
		return nil, fmt.Errorf("%w: %s must hold 32 bytes, as they are, in hexadecimal or in base64", ErrMalformed, path)
	}
	return root, nil
}

func private(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a regular file", ErrMalformed, f.Name())
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%w: %s has mode %04o; run chmod 600 on it, and replace the key if others may have read it",
			ErrExposed, f.Name(), mode)
	}
	return nil
}

func decodeKey(text []byte) ([]byte, bool) {
	if len(text) == keySize {
		return text, true
	}
	trimmed := strings.TrimSpace(string(text))
	if key, err := hex.DecodeString(trimmed); err == nil && len(key) == keySize {
		return key, true
	}
	if key, err := base64.StdEncoding.DecodeString(trimmed); err == nil && len(key) == keySize {
		return key, true
	}
	return nil, false
}

// createOnce makes path with text unless it exists already, in which case it is left alone, and reports whether it did.
// A process that sees path sees all of text: the bytes are durable under another name before the name appears, and
// linking never replaces.
func createOnce(path, text string, source *ids.Source) (made bool, err error) {
	if _, err := os.Lstat(path); err == nil {
		return false, nil
	}
	temporary := path + "." + source.Hex(16) + ".new"
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.Remove(temporary)) }()
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return false, err
	}
	err = os.Link(temporary, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	return err == nil, durable.SyncFolder(filepath.Dir(path))
}
