//go:build !small

package database_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// withParameter adds a parameter to a URL, whichever form it has.
func withParameter(url, parameter string) string {
	switch {
	case !strings.Contains(url, "://"):
		return url + " " + parameter
	case strings.Contains(url, "?"):
		return url + "&" + parameter
	}
	return url + "?" + parameter
}

// TestPostgresSessionAttributes: whatever an operator asks of the session, one pool
// writes and the other refuses to.
func TestPostgresSessionAttributes(t *testing.T) {
	t.Parallel()
	for _, attribute := range []string{"any", "read-write", "primary", "prefer-standby"} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			useBothPools(t, withParameter(databasetest.PostgresURL(t, notes()), "target_session_attrs="+attribute))
		})
	}
	t.Run("standby", func(t *testing.T) {
		t.Parallel()
		url := withParameter(databasetest.PostgresURL(t, notes()), "target_session_attrs=standby")
		if db, err := database.Open(t.Context(), database.Options{URL: url}); err == nil {
			t.Errorf("a primary was taken for a standby: %v", db.Close())
		}
	})
}

// useBothPools writes, reads, and sees that reading cannot write.
func useBothPools(t *testing.T, url string) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{URL: url, Connections: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := db.Migrate(t.Context(), notes()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := insertTitle(t.Context(), db, "a"); err != nil {
			t.Fatal(err)
		}
		if got := titles(t, db); len(got) == 0 {
			t.Error("nothing was read")
		}
	}
	err = db.QueryRow(t.Context(), "DELETE FROM test_owners RETURNING 1").Scan(new(int))
	if !errors.Is(err, database.ErrReadOnly) {
		t.Errorf("a query that writes: %v, want it refused", err)
	}
}

// proxy stands between the tests and PostgreSQL.
type proxy struct {
	net.Listener
	target  func() (net.Conn, error)
	refuse  string // a startup parameter that is refused, as pgbouncer does
	stopped atomic.Bool
	mu      sync.Mutex
	conns   []net.Conn
}

func newProxy(t *testing.T, url, refuse string) (p *proxy, through string) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	network, address := pgNetwork(config)
	p = &proxy{Listener: l, refuse: refuse, target: func() (net.Conn, error) { return net.Dial(network, address) }}
	go p.serve()
	t.Cleanup(p.end)
	through = "host=127.0.0.1 sslmode=disable dbname=" + config.Database + " user=" + config.User
	if config.Password != "" {
		through += " password=" + config.Password
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return p, through + " port=" + port
}

func pgNetwork(c *pgx.ConnConfig) (network, address string) {
	port := strconv.Itoa(int(c.Port))
	if strings.HasPrefix(c.Host, "/") {
		return "unix", c.Host + "/.s.PGSQL." + port
	}
	return "tcp", net.JoinHostPort(c.Host, port)
}

func (p *proxy) end() {
	_ = p.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) serve() {
	for {
		client, err := p.Accept()
		if err != nil {
			return
		}
		server, err := p.target()
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		go p.connect(client, server)
	}
}

func (p *proxy) connect(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	startup := make([]byte, 4)
	if _, err := io.ReadFull(client, startup); err != nil {
		return
	}
	startup = append(startup, make([]byte, binary.BigEndian.Uint32(startup)-4)...)
	if _, err := io.ReadFull(client, startup[4:]); err != nil {
		return
	}
	if p.refuse != "" && bytes.Contains(startup, []byte(p.refuse)) {
		text := "SFATAL\x00C08P01\x00Munsupported startup parameter: " + p.refuse + "\x00\x00"
		message := binary.BigEndian.AppendUint32([]byte{'E'}, uint32(4+len(text)))
		_, _ = client.Write(append(message, text...))
		return
	}
	if _, err := server.Write(startup); err != nil {
		return
	}
	go p.copy(server, client)
	p.copy(client, server)
}

// copy forwards until the proxy is stopped; the connection then stays, in silence.
func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		for p.stopped.Load() && err == nil {
			n, err = from.Read(buffer)
		}
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestPostgresPooler: a pooler that refuses the parameters of a session is used without
// them, and reading still refuses to write.
func TestPostgresPooler(t *testing.T) {
	t.Parallel()
	_, url := newProxy(t, databasetest.PostgresURL(t, notes()), "default_transaction_read_only")
	useBothPools(t, url)
}

// TestPostgresSeveralHosts: the second host is used where the first does not answer.
func TestPostgresSeveralHosts(t *testing.T) {
	t.Parallel()
	p, url := newProxy(t, databasetest.PostgresURL(t, notes()), "")
	_, port, _ := net.SplitHostPort(p.Addr().String())
	url = strings.Replace(url, "host=127.0.0.1", "host=127.0.0.1,127.0.0.1", 1)
	useBothPools(t, strings.Replace(url, "port="+port, "port=1,"+port, 1)+" target_session_attrs=read-write")
}

// TestPostgresStandsStill: a PostgreSQL that keeps connections and answers nothing is
// given up, new calls are refused at once, and it is used again when it goes on.
func TestPostgresStandsStill(t *testing.T) {
	t.Parallel()
	p, url := newProxy(t, databasetest.PostgresURL(t, notes()), "")
	db, err := database.Open(t.Context(), database.Options{URL: url, Connections: 2, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := insertTitle(t.Context(), db, "before"); err != nil {
		t.Fatal(err)
	}
	p.stopped.Store(true)
	began := time.Now()
	if err := insertTitle(t.Context(), db, "during"); !errors.Is(err, database.ErrUnavailable) {
		t.Errorf("a write: %v, want unavailable", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("given up after %s, want about a second", took)
	}
	if _, err := db.Query(t.Context(), "SELECT 1"); !errors.Is(err, database.ErrUnavailable) {
		t.Errorf("a query: %v, want unavailable", err)
	}
	p.stopped.Store(false)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for err = insertTitle(ctx, db, "after"); err != nil && ctx.Err() == nil; err = insertTitle(ctx, db, "after") {
		if !errors.Is(err, database.ErrUnavailable) {
			t.Fatalf("after it went on: %v", err)
		}
	}
	if got := titles(t, db); len(got) != 2 {
		t.Errorf("titles = %q, want before and after", got)
	}
}
