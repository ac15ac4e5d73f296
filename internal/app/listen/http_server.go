package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/route/arrival"
)

const (
	// DrainTime is how long requests in flight may take after a stop signal.
	DrainTime = 10 * time.Second
	// headerTime and idleTime free connections of slow clients.
	headerTime = arrival.Time
	idleTime   = 2 * time.Minute

	maxHeaderBytes = 64 << 10
)

// Options are what a Server is built from.
type Options struct {
	Config Config
	// BaseURL is how clients reach the server when a proxy stands before it.
	BaseURL string
	// Hosts are the names of services' own hosts.
	Hosts []string
	// Connections is what the servers of a process share; nil means that this is the only one.
	Connections *Connections
}

// Server serves one handler on the configured addresses.
type Server struct {
	options   Options
	addresses addresses
	// url and httpsURL are known once requests are served.
	url, httpsURL atomic.Pointer[string]
	// authority signs for the TLS listener; nil when not needed.
	authority *authority.Authority
	tls       *tls.Config
	// shared makes the plain listener answer TLS as well.
	shared  *tls.Config
	log     *slog.Logger
	running []*running
}

// running is one HTTP server and the goroutine it serves in.
type running struct {
	server *http.Server
	group  errgroup.Group
}

// NewServer builds a server that has no address yet.
func NewServer(o Options) *Server {
	if o.Connections == nil {
		o.Connections = NewConnections()
	}
	return &Server{options: o}
}

// URL is the address of the plain listener as clients see it, without a trailing
// slash; empty until requests are served.
func (s *Server) URL() string {
	if s.options.BaseURL != "" {
		return strings.TrimSuffix(s.options.BaseURL, "/")
	}
	return load(&s.url)
}

// Address is where the plain listener is bound, empty before.
func (s *Server) Address() string {
	if s.addresses.plain == nil {
		return ""
	}
	return s.addresses.plain.Addr().String()
}

// HTTPSURL is the address of the TLS listener, empty when there is none.
func (s *Server) HTTPSURL() string { return load(&s.httpsURL) }

func load(p *atomic.Pointer[string]) string {
	if url := p.Load(); url != nil {
		return *url
	}
	return ""
}

// storeURL names a wildcard listener localhost, which every client can reach.
func storeURL(p *atomic.Pointer[string], scheme string, address net.Addr) {
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

// Bind takes the addresses, unless they are taken already.
func (s *Server) Bind(ctx context.Context) (err error) {
	if s.addresses.plain == nil {
		s.addresses, err = s.options.Config.open(ctx)
	}
	return err
}

// ShareTLS makes the plain listener answer HTTPS as well, on the same port. It is
// called before Serve.
func (s *Server) ShareTLS(config *tls.Config) { s.shared = config }

// Serve answers on the bound addresses until Shutdown.
func (s *Server) Serve(handler http.Handler, log *slog.Logger) {
	s.log = log
	handler = BehindProxies(s.options.Config.TrustedProxies, handler)
	plain, secure := s.addresses.plain, s.addresses.secure
	storeURL(&s.url, "http", plain.Addr())
	if tcp, ok := plain.(*net.TCPListener); ok && s.shared != nil {
		s.serveShared(handler, s.newSplit(tcp))
		return
	}
	if secure == nil {
		s.run(s.newHTTP(handler), func(h *http.Server) error { return h.Serve(s.accepting(plain)) })
		return
	}
	s.servePlain(handler, plain)
	storeURL(&s.httpsURL, "https", secure.Addr())
	s.run(s.newHTTPS(withHSTS(handler), s.tls), func(h *http.Server) error {
		return h.ServeTLS(s.accepting(secure), "", "")
	})
}

// servePlain answers on the plain port of a server that has certificates. An address
// that a user typed without its scheme works there in both forms.
func (s *Server) servePlain(handler http.Handler, plain net.Listener) {
	tcp, ok := plain.(*net.TCPListener)
	if !ok {
		s.run(s.newHTTP(handler), func(h *http.Server) error { return h.Serve(s.accepting(plain)) })
		return
	}
	both := s.newSplit(tcp)
	s.run(s.newHTTP(handler), func(h *http.Server) error {
		return h.Serve(&acceptLog{Listener: both.plain, log: s.log})
	})
	s.run(s.newHTTPS(handler, s.tls), func(h *http.Server) error { return h.ServeTLS(both.secure, "", "") })
}

// serveShared answers HTTP and HTTPS on one port. Browsers are not told to stay on
// HTTPS, because the port is theirs in both forms.
func (s *Server) serveShared(handler http.Handler, shared *split) {
	storeURL(&s.httpsURL, "https", shared.plain.Addr())
	s.run(s.newHTTP(handler), func(h *http.Server) error { return h.Serve(shared.plain) })
	s.run(s.newHTTPS(handler, s.shared), func(h *http.Server) error { return h.ServeTLS(shared.secure, "", "") })
}

// accepting bounds the connections of a listener and says when they cannot be accepted.
func (s *Server) accepting(l net.Listener) net.Listener {
	return &acceptLog{Listener: s.options.Connections.bound(l, s.log, s.options.Config.TrustedProxies), log: s.log}
}

func (s *Server) newSplit(l *net.TCPListener) *split {
	return newSplit(s.options.Connections.bound(l, s.log, s.options.Config.TrustedProxies))
}

func (s *Server) newHTTP(handler http.Handler) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeaderBytes, Protocols: &protocols, ConnState: s.options.Connections.noteState,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// newHTTPS gives the server a configuration of its own: it writes to it.
func (s *Server) newHTTPS(handler http.Handler, config *tls.Config) *http.Server {
	server := s.newHTTP(handler)
	server.TLSConfig = config.Clone()
	return server
}

func (s *Server) run(server *http.Server, serve func(*http.Server) error) {
	r := &running{server: server}
	r.group.Go(func() error {
		if err := serve(server); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	s.running = append(s.running, r)
}

// Shutdown lets requests in flight finish, newest listener first.
func (s *Server) Shutdown() error {
	var failed []error
	for i := len(s.running) - 1; i >= 0; i-- {
		failed = append(failed, s.running[i].shutdown(s.log))
	}
	s.running = nil
	return errors.Join(failed...)
}

func (r *running) shutdown(log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.Background(), DrainTime)
	defer cancel()
	if err := r.server.Shutdown(ctx); err != nil {
		log.Warn("requests cut off", "after", DrainTime.String())
		return errors.Join(r.server.Close(), r.group.Wait())
	}
	return r.group.Wait()
}

// Close gives the addresses back.
func (s *Server) Close() error { return s.addresses.close() }
