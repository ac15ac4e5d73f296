package app

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/authority"
)

// URL is the address of the plain listener as clients see it, without a
// trailing slash; empty until the listener is open.
func (a *App) URL() string {
	if a.config.BaseURL != "" {
		return strings.TrimSuffix(a.config.BaseURL, "/")
	}
	return load(&a.url)
}

// HTTPSURL is the address of the TLS listener, empty when there is none.
func (a *App) HTTPSURL() string { return load(&a.httpsURL) }

// ScopeBase stands before /auth/NAME in based scopes.
func (a *App) ScopeBase() string {
	if a.config.ScopeBase != "" {
		return strings.TrimSuffix(a.config.ScopeBase, "/")
	}
	return a.URL()
}

func load(p *atomic.Pointer[string]) string {
	if url := p.Load(); url != nil {
		return *url
	}
	return ""
}

// setURL names a wildcard listener localhost, which every client can reach.
func (a *App) setURL(p *atomic.Pointer[string], scheme string, address net.Addr) {
	host, port, err := net.SplitHostPort(address.String())
	if err != nil {
		host, port = address.String(), ""
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	url := scheme + "://" + net.JoinHostPort(host, port)
	p.Store(&url)
}

// CAFile is the root certificate clients of the TLS listener have to trust.
func (a *App) CAFile() string {
	if a.authority == nil {
		return ""
	}
	return a.authority.File()
}

// tlsConfig is the operator's certificate, or the local authority's. Client
// certificates are looked at when an authority for them is configured.
func (a *App) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := a.config.Listen.CertFile; file != "" {
		cert, err := tls.LoadX509KeyPair(file, a.config.Listen.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("%w: listen.cert_file: %w", ErrConfig, err)
		}
		config.Certificates = []tls.Certificate{cert}
	} else {
		config = a.authority.ServerConfig().Clone()
	}
	if file := a.config.Listen.ClientCAFile; file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%w: listen.client_ca_file: %w", ErrConfig, err)
		}
		config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
		if !config.ClientCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%w: listen.client_ca_file: %s holds no certificate", ErrConfig, file)
		}
	}
	return config, nil
}

// openAuthority prepares the local authority when HTTPS needs it.
func (a *App) openAuthority() (err error) {
	if a.config.Listen.HTTPS == "" || a.config.Listen.CertFile != "" {
		return nil
	}
	a.authority, err = authority.Open(authority.Options{
		Dir: a.config.Data, Box: a.world.Seal, Clock: a.world.Clock, IDs: a.world.IDs, Hosts: a.servedHosts(),
	})
	if err != nil {
		return err
	}
	if notice := a.authority.Notice(); notice != "" {
		a.world.Telemetry.Log.Warn(notice)
	}
	return a.writeBundle()
}

// servedHosts are the names that the local authority signs for: hosts, the one of
// base_url, and the address that the TLS listener is bound to.
func (a *App) servedHosts() []string {
	var hosts []string
	for _, host := range a.config.Hosts {
		hosts = append(hosts, host, "*."+host)
	}
	if base, err := url.Parse(a.config.BaseURL); err == nil && base.Hostname() != "" {
		hosts = append(hosts, strings.ToLower(base.Hostname()))
	}
	if host, _, err := net.SplitHostPort(a.config.Listen.HTTPS); err == nil {
		if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
			hosts = append(hosts, strings.ToLower(host))
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// level is the log level the operator chose; Validate made it one of four.
func (c LogConfig) level() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		return slog.LevelInfo
	}
	return level
}
