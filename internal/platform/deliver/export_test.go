package deliver

import (
	"net/http"
	"net/url"
	"time"
)

// ParseAddress checks the form of an address.
func ParseAddress(raw string) (*url.URL, error) { return parseAddress(raw, false) }

// SetTotal shortens how long a call may take.
func (c *Client) SetTotal(d time.Duration) { c.total = d }

// SetTransport puts t in the place of the network.
func (c *Client) SetTransport(t http.RoundTripper) { c.http.Transport = t }

// SetRevocationTimeout shortens how long a responder may take.
func (c *Client) SetRevocationTimeout(d time.Duration) { c.revocation.Timeout = d }

// Pauses are the waits between attempts, without jitter.
func Pauses() []time.Duration { return pauses() }

// PerReceiver is how many calls one host gets at once from one owner.
const PerReceiver = perOwnerHost

// PerOwner is how many calls an owner's messages make at once.
const PerOwner = perOwner

// SetMaxWaiting lowers how many messages of an owner may wait, in all and for one host.
func (e *Engine) SetMaxWaiting(all, there int64) { e.maxWaiting, e.maxWaitingThere = all, there }

// Workers is how many calls a process makes at once.
const Workers = workers
