package laststart

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Address is a file in which a data folder keeps an address: the one that was taken, and
// what was asked for.
type Address string

// The addresses of a server.
const (
	HTTP  Address = "listen.address"
	HTTPS Address = "listen.https"
)

// Recall is where the last start listened, empty when there was none: the address, and
// the one that is taken in its place while it is free when any port was asked for.
func (a Address) Recall(data string) (address, last string, err error) {
	text, err := os.ReadFile(filepath.Join(data, string(a)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	taken, asked, ok := strings.Cut(strings.TrimSpace(string(text)), " ")
	if !ok {
		return "", "", fmt.Errorf("%s in %s is damaged; remove it or name an address with --listen", a, data)
	}
	if _, port, err := net.SplitHostPort(asked); err == nil && port == "0" {
		return asked, taken, nil
	}
	return taken, "", nil
}

// Remember keeps what was asked for and what was taken; without both it keeps nothing.
func (a Address) Remember(data, asked, taken string) error {
	if asked == "" || taken == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(data, string(a)), []byte(taken+" "+asked+"\n"), 0o600)
}
