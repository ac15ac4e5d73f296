package deliver

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
)

// Config is what an operator decides about outbound calls. The zero one trusts the system's roots and
// allows public addresses only.
type Config struct {
	// TrustedCAFile holds extra root certificates in PEM.
	TrustedCAFile string `yaml:"trusted_ca_file"`
	// Allow lists address ranges that may be called besides public ones, such as 10.1.0.0/16.
	Allow []netip.Prefix `yaml:"allow"`
	// Loopback opens this machine's own addresses. A lab sets it; no setting does.
	Loopback *Loopback `yaml:"-"`
}

// Loopback lets receivers on this machine be called, by plain HTTP too.
type Loopback struct {
	// CAFile is the certificate of the authority that signs for them.
	CAFile string
}

// allowed are the address ranges that may be called besides public ones.
func (c Config) allowed() []netip.Prefix {
	if c.Loopback == nil {
		return c.Allow
	}
	return append(slices.Clone(c.Allow), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
}

// Validate names every mistake at once.
func (c Config) Validate() error {
	var errs []error
	if err := c.addRoots(x509.NewCertPool()); err != nil {
		errs = append(errs, fmt.Errorf("deliver.trusted_ca_file: %w", err))
	}
	for _, p := range c.Allow {
		switch {
		case !p.IsValid():
			errs = append(errs, errors.New("deliver.allow: holds an empty range"))
		case p.Addr().Is4In6():
			errs = append(errs, fmt.Errorf("deliver.allow: write %s as an IPv4 range", p))
		case p != p.Masked():
			errs = append(errs, fmt.Errorf("deliver.allow: %s has host bits; did you mean %s?", p, p.Masked()))
		}
	}
	return errors.Join(errs...)
}

// roots are the system's certificates and the operator's.
func (c Config) roots() (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("%w: trusted certificates: %w", ErrConnection, err)
	}
	return pool, c.addRoots(pool)
}

// addRoots adds the operator's certificates.
func (c Config) addRoots(pool *x509.CertPool) error {
	files := []string{c.TrustedCAFile}
	if c.Loopback != nil {
		files = append(files, c.Loopback.CAFile)
	}
	for _, file := range files {
		if file == "" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !pool.AppendCertsFromPEM(text) {
			return fmt.Errorf("%s holds no certificate in PEM", file)
		}
	}
	return nil
}
