package registry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
)

// The defaults of a Client.
const (
	defaultMaxBody  = 64 << 20
	dialTimeout     = 5 * time.Second
	defaultTimeout  = 30 * time.Second
	defaultPerHost  = 4
	defaultAttempts = 3
	firstBackoff    = 300 * time.Millisecond
	longestBackoff  = 10 * time.Second
	// firstByte is how long a registry may take to begin an answer.
	firstByte = 10 * time.Second
)

// ClientOptions shape a Client; zero values mean the defaults.
type ClientOptions struct {
	// Agent is the User-Agent; registries ask for one that names the program.
	Agent string
	// Clock times pauses and the breaker. Politeness is a matter of real time
	// even in a world whose own clock stands still, so nil means the real one.
	Clock clock.Clock
	// Timeout bounds one fetch with all its attempts.
	Timeout time.Duration
	// PerHost bounds the requests under way to one host, by ecosystem. One that
	// takes long no longer counts.
	PerHost int
	// Pause is the least time between two requests to one host.
	Pause time.Duration
	// Attempts is how often a failing request is made.
	Attempts int
	// Outbound is where connections begin; nil lets them leave the machine.
	Outbound *outbound.Gate
	// Transport replaces the network in tests.
	Transport http.RoundTripper
}

// Client fetches from registries.
type Client struct {
	o     ClientOptions
	http  *http.Client
	pools pools

	mu    sync.Mutex
	hosts map[site]*host
	// trusted is the hosts of the user's registries, credentials what they
	// want to see.
	trusted     map[string]bool
	credentials []credential
}

// NewClient makes a Client.
func NewClient(o ClientOptions) *Client {
	if o.Clock == nil {
		o.Clock = clock.Real()
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.PerHost <= 0 {
		o.PerHost = defaultPerHost
	}
	if o.Attempts <= 0 {
		o.Attempts = defaultAttempts
	}
	c := &Client{o: o, hosts: map[site]*host{}, trusted: map[string]bool{}}
	guard := newGuard()
	c.pools = pools{
		trusts:  c.trusts,
		trusted: transport(o, outbound.Options{Control: guard.learn}),
		proxied: transport(o, outbound.Options{Proxy: true}),
		guarded: transport(o, outbound.Options{Control: guard.check}),
	}
	c.http = &http.Client{Transport: &c.pools}
	return c
}

// pools sends each request, redirected ones too, through the connection pool
// its host deserves.
//
// Only the user's own registries are reached by a proxy of the environment. A
// host that a document names is not: behind a proxy the guard would see the
// proxy's address in place of the host's.
type pools struct {
	trusts                    func(host string) bool
	trusted, proxied, guarded http.RoundTripper
}

func (p *pools) RoundTrip(req *http.Request) (*http.Response, error) {
	if !p.trusts(req.URL.Host) {
		return p.guarded.RoundTrip(req)
	}
	if t, ok := p.proxied.(*http.Transport); ok && t.Proxy != nil {
		if proxy, err := t.Proxy(req); err != nil || proxy != nil {
			return p.proxied.RoundTrip(req)
		}
	}
	return p.trusted.RoundTrip(req)
}

// transport is one connection pool.
func transport(o ClientOptions, dial outbound.Options) http.RoundTripper {
	if o.Transport != nil {
		return o.Transport
	}
	dial.Timeout = dialTimeout
	t := o.Outbound.Transport(dial)
	t.MaxIdleConnsPerHost, t.IdleConnTimeout = o.PerHost, 30*time.Second
	t.TLSHandshakeTimeout, t.ResponseHeaderTimeout = dialTimeout, min(o.Timeout, firstByte)
	return t
}

// Close drops idle connections.
func (c *Client) Close() {
	for _, pool := range []http.RoundTripper{c.pools.trusted, c.pools.proxied, c.pools.guarded} {
		if t, ok := pool.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
	}
}

// Request is one document to fetch.
type Request struct {
	URL    string
	Accept string
	// ETag and LastModified of the copy the caller already has.
	ETag, LastModified string
	// MaxBody bounds the body; zero means the default of 64 MiB.
	MaxBody int64
	// Head asks for the headers only.
	Head bool
	// Range asks for a part, such as bytes=-1000; a registry may send it all.
	Range string
}

// Response is a fetched document.
type Response struct {
	Body               []byte
	ETag, LastModified string
	ContentType        string
	// Modified is LastModified as a time, zero when there was none.
	Modified time.Time
	// URL is where the document was finally found.
	URL string
	// Part is the Content-Range of an answer that is a part, empty for all of it.
	Part string
}

// Get fetches a document, trying again where that can help.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return nil, &NetworkError{Host: "", cause: errors.New("the address is not a URL")}
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	h := c.host(u.Host, taskOf(ctx).Kind)
	backoff := firstBackoff
	for attempt := 1; ; attempt++ {
		res, err := c.attempt(ctx, h, u, r)
		pause, again := retry(err, backoff)
		if !again || attempt == c.o.Attempts || ctx.Err() != nil {
			return res, err
		}
		if clock.Sleep(ctx, c.o.Clock, pause) != nil {
			return nil, err
		}
		backoff *= 2
	}
}

// attempt makes one request in a place of its own: pauses between attempts take
// none.
func (c *Client) attempt(ctx context.Context, h *host, u *url.URL, r Request) (*Response, error) {
	seat, err := h.enter(ctx, c.o.Clock, c.o.Pause)
	if err != nil {
		return nil, err
	}
	defer seat.leave()
	res, err := c.once(ctx, u, r)
	h.report(c.o.Clock.Now(), err)
	return res, err
}

// retry reports whether and after which pause a failed fetch is tried again. One
// that was late is not: the caller has waited long enough.
func retry(err error, backoff time.Duration) (time.Duration, bool) {
	var status *StatusError
	if errors.As(err, &status) {
		return min(max(status.RetryAfter, backoff), longestBackoff), status.temporary()
	}
	var network *NetworkError
	return backoff, errors.As(err, &network) && !late(err) && !errors.Is(err, outbound.ErrOffline)
}

func (c *Client) once(ctx context.Context, u *url.URL, r Request) (*Response, error) {
	method := http.MethodGet
	if r.Head {
		method = http.MethodHead
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, &NetworkError{Host: u.Host, cause: err}
	}
	c.setHeaders(req, r)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, &NetworkError{Host: u.Host, cause: err}
	}
	defer func() { _ = res.Body.Close() }() // read, or not needed
	part := ""
	if r.Range != "" && res.StatusCode == http.StatusPartialContent {
		part = res.Header.Get("Content-Range")
	} else if err := statusError(res, u.Host); err != nil {
		return nil, err
	}
	body, err := readBody(ctx, res, r)
	if err != nil {
		return nil, err
	}
	modified, _ := http.ParseTime(res.Header.Get("Last-Modified"))
	return &Response{
		Modified: modified.UTC(), Body: body, ETag: res.Header.Get("ETag"), LastModified: res.Header.Get("Last-Modified"),
		ContentType: res.Header.Get("Content-Type"), URL: res.Request.URL.String(), Part: part,
	}, nil
}

// setHeaders sets the headers of the request and the credential of its host.
func (c *Client) setHeaders(req *http.Request, r Request) {
	for name, value := range map[string]string{
		"User-Agent": c.o.Agent, "Accept": r.Accept, "Range": r.Range, "If-None-Match": r.ETag,
		"If-Modified-Since": r.LastModified,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if user := c.credential(req.URL); user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
}

func statusError(res *http.Response, host string) error {
	switch {
	case res.StatusCode == http.StatusOK:
		return nil
	case res.StatusCode == http.StatusNotModified:
		return ErrNotModified
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusGone:
		return ErrNotFound
	}
	return &StatusError{Status: res.StatusCode, Host: host, RetryAfter: retryAfter(res.Header.Get("Retry-After"))}
}

// retryAfter reads the header's seconds form; dates are left to the backoff.
func retryAfter(value string) time.Duration {
	seconds, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func readBody(ctx context.Context, res *http.Response, r Request) ([]byte, error) {
	most := r.MaxBody
	if most <= 0 {
		most = defaultMaxBody
	}
	if res.ContentLength > most {
		return nil, ErrTooLarge
	}
	from := &charged{ctx: ctx, r: io.LimitReader(res.Body, most+1)}
	body, err := io.ReadAll(from)
	if from.refused != nil {
		return nil, from.refused
	}
	if err != nil {
		return nil, &NetworkError{Host: res.Request.URL.Host, cause: err}
	}
	if int64(len(body)) > most {
		return nil, ErrTooLarge
	}
	return body, nil
}
