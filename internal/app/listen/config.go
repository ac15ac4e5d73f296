package listen

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Config says where the server can be reached.
type Config struct {
	// HTTP is the address of the plain listener.
	HTTP string `yaml:"http"`
	// HTTPS is the address of the TLS listener; empty means none.
	HTTPS string `yaml:"https"`
	// LastHTTP and LastHTTPS are taken in place of HTTP and HTTPS while they are free:
	// ports that were picked at the last start of a server that asks for any.
	LastHTTP  string `yaml:"-"`
	LastHTTPS string `yaml:"-"`
	// CertFile and KeyFile replace the local certificate authority.
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"` // KeyFile is the private key of CertFile, as PEM.
	// ClientCAFile holds the authority whose client certificates may call
	// remote procedures on the TLS listener, with kms.tcp; empty means tokens
	// only.
	ClientCAFile string `yaml:"client_ca_file"`
	// KMS is the path of the key-management socket; empty means none.
	KMS string `yaml:"kms"`
	// KMSMode are the permissions of that socket, in octal; who may open it may
	// encrypt and decrypt. Others than its owner and group never may.
	KMSMode string `yaml:"kms_mode"`
	// KMSOwner is the user that the socket is given to, a name or a number; empty
	// means the one that the server runs as. Giving it away takes privileges.
	KMSOwner string `yaml:"kms_owner"`
	// KMSGroup is the group of the socket, a name or a number; empty means that of
	// the server.
	KMSGroup string `yaml:"kms_group"`
	// TrustedProxies may say who the client is (X-Forwarded-For).
	TrustedProxies []netip.Prefix `yaml:"trusted_proxies"`
	// Drain is how long the listeners stay open after a stop signal while /readyz says
	// no, so that a load balancer sends its requests elsewhere; zero means not at all.
	Drain time.Duration `yaml:"drain"`
}

// DefaultConfig listens on loopback.
func DefaultConfig() Config { return Config{HTTP: "127.0.0.1:8080", KMSMode: "0600"} }

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	bad = append(bad, validateAddress("listen.http", c.HTTP))
	if c.HTTPS != "" {
		bad = append(bad, validateAddress("listen.https", c.HTTPS))
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		bad = append(bad, errors.New("listen.cert_file and listen.key_file belong together: set both or none"))
	}
	if strings.HasPrefix(c.KMS, "@") {
		bad = append(bad, fmt.Errorf("listen.kms: %q is an abstract socket, which has no permissions; name a file", c.KMS))
	}
	if _, err := c.KMSAccess(); err != nil {
		bad = append(bad, err)
	}
	if c.Drain < 0 || c.Drain > maxDrain {
		bad = append(bad, fmt.Errorf("listen.drain must be 0s to %s, not %s", maxDrain, c.Drain))
	}
	return errors.Join(bad...)
}

// maxDrain is longer than load balancers take to notice.
const maxDrain = 10 * time.Minute

func validateAddress(name, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s: %q is not HOST:PORT, as in 127.0.0.1:8080", name, address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%s: %q is not a port from 0 to 65535", name, port)
	}
	return nil
}

// LoopbackOnly reports whether every listener is out of reach for other machines.
func (c Config) LoopbackOnly() bool {
	for _, address := range []string{c.HTTP, c.HTTPS} {
		host, _, err := net.SplitHostPort(address)
		if address == "" || host == "localhost" {
			continue
		}
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return false
		}
	}
	return true
}
