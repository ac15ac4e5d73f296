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

	"stoa.dev/stoa/internal/platform/clock"
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
	ended   chan struct{}
	forgets atomic.Int64 // connections from before the last time lead nowhere
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
	dial := func() (net.Conn, error) { return net.Dial(network, address) }
	p = &proxy{Listener: l, refuse: refuse, ended: make(chan struct{}), target: dial}
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
	close(p.ended)
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
	since := p.forgets.Load()
	go p.copy(server, client, since)
	p.copy(client, server, since)
}

// copy forwards until the proxy is stopped; the connection then stays, in silence.
func (p *proxy) copy(to, from net.Conn, since int64) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		for (p.stopped.Load() || p.forgets.Load() != since) && err == nil {
			n, err = from.Read(buffer)
		}
		if err != nil {
			if p.stopped.Load() {
				<-p.ended // the end is not told either
			}
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

// TestPostgresForgottenConnections: connections that a firewall forgot while they rested
// delay no call, however many there are.
func TestPostgresForgottenConnections(t *testing.T) {
	t.Parallel()
	p, url := newProxy(t, databasetest.PostgresURL(t, notes()), "")
	db, err := database.Open(t.Context(), database.Options{URL: url, Connections: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	insertAtOnce(t, db, 4)
	p.forgets.Add(1)
	if err := clock.Sleep(t.Context(), clock.Real(), 1100*time.Millisecond); err != nil { // they rest
		t.Fatal(err)
	}
	began := time.Now()
	insertAtOnce(t, db, 4)
	if got := titles(t, db); len(got) != 8 {
		t.Errorf("%d titles, want 8", len(got))
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("writes took %s, want two seconds and a little", took)
	}
}

// insertAtOnce opens as many connections, because every transaction waits for the others.
func insertAtOnce(t *testing.T, db *database.DB, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var inside, done sync.WaitGroup
	inside.Add(n)
	for range n {
		done.Go(func() {
			var once sync.Once // it may be run again
			err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
				once.Do(inside.Done)
				inside.Wait()
				return insertTitle(ctx, tx, "at once")
			})
			if err != nil {
				t.Error(err)
				once.Do(inside.Done)
			}
		})
	}
	done.Wait()
}

// TestPostgresAbandonedTransaction: PostgreSQL ends a transaction whose client it hears
// nothing of, so that its locks delay no client that comes by another way.
func TestPostgresAbandonedTransaction(t *testing.T) {
	t.Parallel()
	url := databasetest.PostgresURL(t, notes())
	p, through := newProxy(t, url, "")
	lost, err := database.Open(t.Context(), database.Options{URL: through, Connections: 2, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer lost.Close()
	other, err := database.Open(t.Context(), database.Options{URL: url, Connections: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = lost.WriteKeyed(t.Context(), "k", func(context.Context, *database.Tx) error {
		p.stopped.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return other.WriteKeyed(ctx, "k", func(context.Context, *database.Tx) error { return nil })
	})
	if !errors.Is(err, database.ErrUnknown) && !errors.Is(err, database.ErrUnavailable) {
		t.Errorf("the abandoned transaction: %v, want unknown or unavailable; the other must not wait for it", err)
	}
}
