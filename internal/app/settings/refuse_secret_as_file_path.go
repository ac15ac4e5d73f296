package settings

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// ErrNotAPath is wrapped by the errors of CheckFiles.
var ErrNotAPath = errors.New("the setting is the path of a file, and there is no file of the name that was given")

// longestFileName bounds the names that an error may repeat; tokens are longer.
const longestFileName = 64

// CheckFiles refuses what was put in a setting that names a file when no such file is there
// and the value may be the secret that belongs in the file. The errors do not repeat it,
// because they end up in logs.
func CheckFiles(config any) error {
	var bad []error
	for _, l := range leaves(config) {
		if !l.namesFile() {
			continue
		}
		value := l.value.String()
		if _, err := os.Stat(value); value == "" || err == nil || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if maybeSecret(value) {
			bad = append(bad, fmt.Errorf("%s (%s): %w; it is not repeated here because it may be a secret: "+
				"put the secret in a file and name that", l.path, Variable(l.path), ErrNotAPath))
		}
	}
	return errors.Join(bad...)
}

// namesFile reports whether the value is the path of a file.
func (l leaf) namesFile() bool {
	return l.value.Kind() == reflect.String && (strings.HasSuffix(l.path, "_file") || l.path == "root_key")
}

// maybeSecret reports whether a value may be a key, a token or a password: it decodes to the
// length of a key, has lines, is longer than names of files are, or is one word without a
// folder or an ending.
func maybeSecret(value string) bool {
	return isKey(value) || strings.Contains(value, "\n") || len(filepath.Base(value)) > longestFileName ||
		!strings.ContainsAny(value, "/.")
}

// isKey reports whether text is a key of a usual length in hexadecimal or in base64.
func isKey(text string) bool {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		key, err := decode(strings.TrimSpace(text))
		if n := len(key); err == nil && (n == 16 || n == 24 || n == 32 || n == 48 || n == 64) {
			return true
		}
	}
	return false
}
