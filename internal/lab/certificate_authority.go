package lab

import (
	"crypto/tls"
	"net"

	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/seal"
)

// openAuthority opens the lab's authority, which signs for every port of the lab.
// Certificates are on the machine's clock: so are those who check them.
func (l *Lab) openAuthority() error {
	box, err := seal.Open(l.options.Dir, "", l.ids)
	if err != nil {
		return err
	}
	var hosts []string
	for _, host := range l.options.Hosts {
		hosts = append(hosts, host)
		if net.ParseIP(host) == nil {
			hosts = append(hosts, "*."+host) // of teams
		}
	}
	l.authority, err = authority.Open(authority.Options{
		Dir: l.options.Dir, Box: box, Clock: l.clock, IDs: l.ids, Hosts: hosts,
	})
	if err != nil {
		return err
	}
	return listen.WriteBundle(l.authority.File())
}

// TLS is how the lab's ports answer HTTPS.
func (l *Lab) TLS() *tls.Config { return l.authority.ServerConfig() }

// CAFile is the certificate that clients of HTTPS have to trust.
func (l *Lab) CAFile() string { return l.authority.File() }
