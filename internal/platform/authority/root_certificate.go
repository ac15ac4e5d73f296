package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/durable"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/seal"
)

const (
	// rootLife is how long clients can rely on a root certificate. It is made
	// anew, for the same key, when renewRootAt is left, so that there is time to
	// hand it out: the old one is good until its end.
	rootLife    = 2 * 365 * 24 * time.Hour
	renewRootAt = rootLife / 4
	// leafLife is short, because leaves are made on demand and kept in memory.
	leafLife = 14 * 24 * time.Hour
	// renewAt leaves half of a leaf's life for clients with slow clocks.
	renewAt = 7 * 24 * time.Hour
)

// sealedFor binds the wrapped private key to its use.
const sealedFor = "authority root key"

// Options are what an Authority is built from.
type Options struct {
	Dir   string
	Box   *seal.Box
	Clock clock.Clock
	IDs   *ids.Source
	// Hosts are names served besides localhost; a leading "*." allows
	// everything below the name.
	Hosts []string
}

// Authority signs the certificates of one data folder.
type Authority struct {
	o    Options
	file string
	key  *ecdsa.PrivateKey

	mu     sync.Mutex
	cert   *x509.Certificate
	notice string
	leaves map[string]*leaf
}

// Open reads the authority of the folder or creates it.
func Open(o Options) (*Authority, error) {
	a := &Authority{o: o, file: certificateFile(o.Dir), leaves: map[string]*leaf{}}
	err := a.load()
	if errors.Is(err, fs.ErrNotExist) {
		err = a.create()
	}
	if err == nil {
		err = a.renew(o.Clock.Now())
	}
	if err != nil {
		return nil, fmt.Errorf("local certificate authority: %w", err)
	}
	return a, nil
}

// Notice says what clients have to do because the root certificate is another
// one than before; it is empty when it is the same.
func (a *Authority) Notice() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.notice
}

// File is the root certificate that clients have to trust.
func (a *Authority) File() string { return a.file }

func certificateFile(dir string) string { return filepath.Join(dir, "ca.pem") }

func (a *Authority) keyFile() string { return filepath.Join(a.o.Dir, "ca.key") }

func (a *Authority) load() error {
	text, err := os.ReadFile(a.file)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return fmt.Errorf("%s holds no certificate; remove it and ca.key to create a new authority", a.file)
	}
	if a.cert, err = x509.ParseCertificate(block.Bytes); err != nil {
		return fmt.Errorf("%s: %w", a.file, err)
	}
	sealed, err := os.ReadFile(a.keyFile())
	if err != nil {
		return fmt.Errorf("the certificate has no private key; remove %s to create a new authority: %w", a.file,
			errors.New(err.Error()))
	}
	der, err := a.o.Box.Open(sealed, []byte(sealedFor))
	if err != nil {
		return fmt.Errorf("%s: %w", a.keyFile(), err)
	}
	if a.key, err = x509.ParseECPrivateKey(der); err != nil {
		return fmt.Errorf("%s: %w", a.keyFile(), err)
	}
	return nil
}

// create makes a key and a certificate for it.
func (a *Authority) create() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), a.o.IDs)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	// The key goes first: a certificate without a key cannot be repaired,
	// a key without a certificate is simply replaced.
	if err := durable.Replace(a.keyFile(), a.o.Box.Seal(keyDER, []byte(sealedFor)), 0o600); err != nil {
		return err
	}
	a.key = key
	return a.certify(pkix.Name{CommonName: "Stoa local authority " + a.o.IDs.Hex(6), Organization: []string{"Stoa"}})
}

// certify signs the root certificate and stores it. It may sign for nothing but
// the hosts that are served, so that a thief of the key cannot speak for
// other sites to clients that trust it.
func (a *Authority) certify(subject pkix.Name) error {
	names, ranges, err := a.constraints()
	if err != nil {
		return err
	}
	now := a.o.Clock.Now()
	template := &x509.Certificate{
		SerialNumber:                a.serial(),
		Subject:                     subject,
		NotBefore:                   now.Add(-time.Hour),
		NotAfter:                    now.Add(rootLife),
		KeyUsage:                    x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		ExtKeyUsage:                 []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid:       true,
		IsCA:                        true,
		MaxPathLenZero:              true,
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         names,
		PermittedIPRanges:           ranges,
	}
	der, err := x509.CreateCertificate(a.o.IDs, template, template, a.key.Public(), a.key)
	if err != nil {
		return err
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	return durable.Replace(a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
}

func (a *Authority) serial() *big.Int {
	raw := make([]byte, 16)
	_, _ = a.o.IDs.Read(raw) // never fails
	raw[0] &= 0x7f
	return new(big.Int).SetBytes(raw)
}

// constraints are the names and addresses that the root may sign for (RFC 5280
// section 4.2.1.10). A name covers what is below it.
func (a *Authority) constraints() (names []string, ranges []*net.IPNet, err error) {
	names = []string{"localhost"}
	ranges = []*net.IPNet{
		{IP: net.IPv4(127, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)},
		{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)},
	}
	for _, host := range a.o.Hosts {
		host = strings.TrimPrefix(strings.ToLower(strings.TrimSuffix(host, ".")), "*.")
		switch ip := net.ParseIP(host); {
		case ip != nil && ip.IsLoopback():
		case ip != nil && ip.To4() != nil:
			ranges = append(ranges, &net.IPNet{IP: ip.To4(), Mask: net.CIDRMask(32, 32)})
		case ip != nil:
			ranges = append(ranges, &net.IPNet{IP: ip, Mask: net.CIDRMask(128, 128)})
		case strings.Trim(host, ".*") == "" || strings.Contains(host, "*"):
			// An empty constraint permits every name.
			return nil, nil, fmt.Errorf("%q is not a host name to make certificates for", host)
		case !slices.Contains(names, host):
			names = append(names, host)
		}
	}
	return names, ranges, nil
}
