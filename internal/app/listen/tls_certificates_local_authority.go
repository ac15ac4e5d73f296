package listen

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/authority"
)

// CAFile is the root certificate clients of the TLS listener have to trust.
func (s *Server) CAFile() string {
	if s.authority == nil {
		return ""
	}
	return s.authority.File()
}

// OpenAuthority prepares the local authority when HTTPS needs it. The notice is for
// the operator, empty when there is none.
func (s *Server) OpenAuthority(o authority.Options) (notice string, err error) {
	if s.options.Config.HTTPS == "" || s.options.Config.CertFile != "" {
		return "", nil
	}
	o.Hosts = s.servedHosts()
	if s.authority, err = authority.Open(o); err != nil {
		return "", err
	}
	return s.authority.Notice(), WriteBundle(s.authority.File())
}

// LoadCertificates reads the operator's files for the TLS listener.
func (s *Server) LoadCertificates() (err error) {
	if s.options.Config.HTTPS != "" {
		s.tls, err = s.tlsConfig()
	}
	return err
}

// tlsConfig is the operator's certificate, or the local authority's. Client
// certificates are looked at when an authority for them is configured.
func (s *Server) tlsConfig() (*tls.Config, error) {
	given, err := s.options.Config.readCertificates()
	if err != nil || len(given.Certificates) > 0 {
		return given, err
	}
	config := s.authority.ServerConfig().Clone()
	if given.ClientCAs != nil {
		config.ClientCAs, config.ClientAuth = given.ClientCAs, given.ClientAuth
	}
	return config, nil
}

// readCertificates reads what the operator has given.
func (c Config) readCertificates() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CertFile != "" {
		cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("listen.cert_file: %w", err)
		}
		config.Certificates = []tls.Certificate{cert}
	}
	if c.ClientCAFile != "" {
		text, err := os.ReadFile(c.ClientCAFile)
		if err != nil {
			return nil, fmt.Errorf("listen.client_ca_file: %w", err)
		}
		config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
		if !config.ClientCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("listen.client_ca_file: %s holds no certificate", c.ClientCAFile)
		}
	}
	return config, nil
}

// servedHosts are the names that the local authority signs for: hosts, the one of
// base_url, and the address that the TLS listener is bound to.
func (s *Server) servedHosts() []string {
	var hosts []string
	for _, host := range s.options.Hosts {
		hosts = append(hosts, host, "*."+host)
	}
	if base, err := url.Parse(s.options.BaseURL); err == nil && base.Hostname() != "" {
		hosts = append(hosts, strings.ToLower(base.Hostname()))
	}
	if host, _, err := net.SplitHostPort(s.options.Config.HTTPS); err == nil {
		if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
			hosts = append(hosts, strings.ToLower(host))
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
