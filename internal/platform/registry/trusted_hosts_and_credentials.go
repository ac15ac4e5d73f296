package registry

import (
	"net/url"
	"strings"
)

// credential is for everything below an address.
type credential struct {
	host, path string
	user       *url.Userinfo
}

// Trust marks the host of an address as one of the user's registries: it may
// be inside the user's network, and its credential is sent to it if it was
// configured. One host may have several registries with a credential each.
func (c *Client) Trust(a Address) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, err := url.Parse(a.URL)
	if err != nil {
		return
	}
	c.trusted[at.Host] = true
	if a.user != nil && !a.found {
		c.credentials = append(c.credentials, credential{at.Host, at.Path, a.user})
	}
}

// credential is what the registry at an address wants to see. What is not
// below any of the host's registries, such as its file store, is shown the
// credential of the first.
func (c *Client) credential(at *url.URL) *url.Userinfo {
	c.mu.Lock()
	defer c.mu.Unlock()
	var user *url.Userinfo
	longest := -1
	for _, known := range c.credentials {
		if known.host != at.Host {
			continue
		}
		below := at.Path == known.path || strings.HasPrefix(at.Path, known.path+"/")
		if below && len(known.path) > longest {
			user, longest = known.user, len(known.path)
		} else if user == nil {
			user = known.user
		}
	}
	return user
}

// trusts reports whether a host is one of the user's.
func (c *Client) trusts(host string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trusted[host]
}
