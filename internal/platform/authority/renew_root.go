package authority

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// covered reports whether the root certificate permits every host.
func (a *Authority) covered() (missing string, err error) {
	names, ranges, err := a.constraints()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		below := func(permitted string) bool { return name == permitted || strings.HasSuffix(name, "."+permitted) }
		if !slices.ContainsFunc(a.cert.PermittedDNSDomains, below) {
			return name, nil
		}
	}
	for _, want := range ranges {
		if !slices.ContainsFunc(a.cert.PermittedIPRanges, func(n *net.IPNet) bool { return n.String() == want.String() }) {
			return want.String(), nil
		}
	}
	return "", nil
}

// renew makes the root certificate anew where it cannot serve any more. With the
// same key and subject the one that clients have stays good for what it permits;
// one without constraints, or one that has ended, is replaced with its key.
func (a *Authority) renew(now time.Time) error {
	if len(a.cert.PermittedDNSDomains) == 0 || now.After(a.cert.NotAfter) {
		a.notice = "the local authority is a new one: clients have to trust " + a.file + " again"
		return a.create()
	}
	missing, err := a.covered()
	switch {
	case err != nil:
		return err
	case missing != "":
		a.notice = fmt.Sprintf("the local authority now permits %s too: clients that use it have to trust %s again", missing,
			a.file)
	case now.Add(renewRootAt).After(a.cert.NotAfter):
		a.notice = fmt.Sprintf("the certificate of the local authority was made anew: clients have to trust %s before %s",
			a.file, a.cert.NotAfter.UTC().Format(time.DateOnly))
	default:
		return nil
	}
	return a.certify(a.cert.Subject)
}
