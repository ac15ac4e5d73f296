package publicaddress

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/app/settings"
)

// CheckBase refuses what no link can begin with. An empty text is not set.
func CheckBase(name, text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%s must be an http or https address, as in https://stoa.example.org", name)
	}
	return nil
}

// CheckOthers is CheckBase for settings that no earlier check has named.
func CheckOthers(refused error, values map[string][]string) error {
	var bad []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if refused != nil && strings.Contains(refused.Error(), name) {
			continue
		}
		for _, text := range values[name] {
			bad = append(bad, CheckBase(name, text))
		}
	}
	return errors.Join(bad...)
}

// CheckListeners refuses one address for both listeners. What is no address is refused elsewhere.
func CheckListeners(plain, secure string) error {
	host, port, err := net.SplitHostPort(plain)
	other, otherPort, bad := net.SplitHostPort(secure)
	if err != nil || bad != nil || port != otherPort || port == "0" || host != other && host != "" && other != "" {
		return nil
	}
	return fmt.Errorf("listen.https: %s (--https) is the address of listen.http (--listen) too: give each a port of its "+
		"own, as in --listen 127.0.0.1:8080 --https 127.0.0.1:8443; the one of --listen then answers both", secure)
}

// CheckHosts refuses hosts of services that there are not, and hosts that no request can name.
func CheckHosts(hosts map[string]string, services []string) error {
	var bad []error
	given := map[string]string{}
	for _, service := range slices.Sorted(maps.Keys(hosts)) {
		host := strings.ToLower(hosts[service])
		if !slices.Contains(services, service) {
			bad = append(bad, unknown(service, services))
		}
		if host == "" || strings.ContainsAny(host, "*:/@? ") {
			bad = append(bad, fmt.Errorf("hosts.%s: %q is not a host name, as in %s.example.org", service, host, service))
		}
		if other := given[host]; other != "" {
			bad = append(bad, fmt.Errorf("hosts.%s: %s is the host of %s already", service, host, other))
		}
		given[host] = service
	}
	return errors.Join(bad...)
}

func unknown(service string, services []string) error {
	if near := settings.Near(service, services); near != "" {
		return fmt.Errorf("hosts.%s: there is no service %q; did you mean %s?", service, service, near)
	}
	return fmt.Errorf("hosts.%s: there is no service %q; there are %s", service, service, strings.Join(services, ", "))
}
