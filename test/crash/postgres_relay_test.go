package crash_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// link is what a network does with connections.
type link struct {
	latency time.Duration // of each answer
	rate    int           // bytes a second in each direction; zero is no bound
	silent  bool          // the connections that there are end without a word, new ones too
	mute    bool          // requests arrive, answers do not, as with silent
	cut     bool          // connections are reset, new ones too
}

// relay stands for the network between a server and PostgreSQL.
type relay struct {
	listener        net.Listener
	network, target string

	mu     sync.Mutex
	better sync.Cond // now has changed
	now    link
	conns  map[*relayed]bool
	armed  bool // the answer to the next commit of a write is lost
	losses int  // commits whose answer was lost
}

// relayed is one connection.
type relayed struct {
	client, server net.Conn
	deaf, mute     bool // the way to the server, the way back: nothing passes for ever
	wrote          bool // the transaction has written
}

// newRelay is a relay before the PostgreSQL of a URL, and the URL through it.
func newRelay(t *testing.T, url string) (r *relay, through string) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	r = &relay{conns: map[*relayed]bool{}, network: "unix", target: config.Host + "/.s.PGSQL.5432"}
	r.better.L = &r.mu
	if !strings.HasPrefix(config.Host, "/") {
		t.Fatalf("PostgreSQL is at %s, want a socket", config.Host)
	}
	if r.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go r.accept()
	t.Cleanup(func() {
		_ = r.listener.Close() // it ends with the test
		r.set(link{cut: true})
	})
	return r, "postgres://" + config.User + "@" + r.listener.Addr().String() + "/" + config.Database + "?sslmode=disable"
}

// set changes what the relay does, also with the connections that there are. What silence
// took stays lost, as where a firewall forgot the connection.
func (r *relay) set(now link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = now
	r.better.Broadcast()
	for c := range r.conns {
		c.take(now)
		if now.cut {
			c.reset()
		}
	}
}

func (c *relayed) take(now link) {
	c.deaf = c.deaf || now.silent
	c.mute = c.mute || now.silent || now.mute
}

// reset ends both sides without the orderly end.
func (c *relayed) reset() {
	for _, conn := range []net.Conn{c.client, c.server} {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // the connection may be gone already
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
}

func (r *relay) accept() {
	for {
		client, err := r.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go r.pass(client)
		}
	}
}

func (r *relay) pass(client net.Conn) {
	c := &relayed{client: client}
	r.mu.Lock()
	cut := r.now.cut
	r.mu.Unlock()
	if cut { // PostgreSQL does not hear of it
		c.reset()
		return
	}
	server, err := net.Dial(r.network, r.target)
	r.mu.Lock()
	c.server = server
	if err != nil || r.now.cut {
		r.mu.Unlock()
		c.reset()
		return
	}
	c.take(r.now)
	r.conns[c] = true
	r.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { r.copy(c, server, client, readSome(client), &c.deaf, 0) })
	both.Go(func() { r.copy(c, client, server, readMessage(server), &c.mute, 1) })
	both.Wait()
	r.mu.Lock()
	delete(r.conns, c)
	r.mu.Unlock()
}

// readSome reads what is there.
func readSome(from io.Reader) func() ([]byte, error) {
	return func() ([]byte, error) {
		buffer := make([]byte, 16<<10)
		n, err := from.Read(buffer)
		return buffer[:n], err
	}
}

// readMessage reads one message of PostgreSQL: a letter, the length and so many bytes.
func readMessage(from io.Reader) func() ([]byte, error) {
	lines := bufio.NewReader(from)
	return func() ([]byte, error) {
		header := make([]byte, 5)
		if _, err := io.ReadFull(lines, header); err != nil {
			return nil, err
		}
		message := append(header, make([]byte, binary.BigEndian.Uint32(header[1:])-4)...)
		_, err := io.ReadFull(lines, message[5:])
		return message, err
	}
}

// due is something on its way.
type due struct {
	bytes []byte
	at    time.Time
}

// copy passes one direction on until it ends. Latency is that of a long line: what follows
// is under way meanwhile.
func (r *relay) copy(c *relayed, to, from net.Conn, read func() ([]byte, error), lost *bool, share time.Duration,
) {
	line := make(chan due, 1024)
	var writer sync.WaitGroup
	writer.Go(func() {
		for piece := range line {
			time.Sleep(time.Until(piece.at))
			if !r.write(to, piece.bytes, lost) {
				c.reset()
			}
		}
	})
	for {
		piece, err := read()
		if len(piece) > 0 {
			r.mu.Lock()
			delay, end := share*r.now.latency, share > 0 && r.loses(c, piece)
			r.mu.Unlock()
			if end {
				break
			}
			line <- due{piece, time.Now().Add(delay)}
		}
		if err != nil {
			break
		}
	}
	close(line)
	writer.Wait()
	r.mu.Lock()
	silent := *lost
	for from == c.client && r.now.silent {
		r.better.Wait() // the end is told again and again until it arrives
	}
	r.mu.Unlock()
	if silent && from == c.server {
		return // the end is not told either
	}
	c.reset()
}

// write passes a piece on at the pace of the link, or loses it.
func (r *relay) write(to net.Conn, piece []byte, lost *bool) bool {
	for len(piece) > 0 {
		r.mu.Lock()
		gone, rate := *lost, r.now.rate
		r.mu.Unlock()
		if gone {
			return true
		}
		n := len(piece)
		if rate > 0 {
			n = min(n, max(rate/20, 1))
			time.Sleep(time.Duration(n) * time.Second / time.Duration(rate))
		}
		if _, err := to.Write(piece[:n]); err != nil {
			return false
		}
		piece = piece[n:]
	}
	return true
}

// arm loses the answer to the next commit of a transaction that wrote.
func (r *relay) arm() {
	r.mu.Lock()
	r.armed = true
	r.mu.Unlock()
}

// lost is how many such answers were lost.
func (r *relay) lost() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.losses
}

// loses reports whether a message is the answer to a commit that is to be lost. PostgreSQL
// has committed when it says so.
func (r *relay) loses(c *relayed, message []byte) bool {
	if message[0] != 'C' { // a command is complete
		return false
	}
	switch done, _, _ := strings.Cut(strings.TrimRight(string(message[5:]), "\x00"), " "); done {
	case "BEGIN":
		c.wrote = false
	case "INSERT", "UPDATE", "DELETE":
		c.wrote = true
	case "COMMIT":
		if r.armed && c.wrote {
			r.armed = false
			r.losses++
			return true
		}
	}
	return false
}
