package listen

import (
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

const (
	// maxReserved is how many descriptors are kept for files at most.
	maxReserved = 1024
	// memoryPart is which part of the memory connections may take, perConnection what a slow one takes, and leastSlots
	// how many there are where memory is short.
	memoryPart    = 4
	perConnection = 32 << 10
	leastSlots    = 64
)

// Connections bounds the connections of clients, so that they leave descriptors for
// the files of the stores, and memory for requests: one that cannot open its next file may end the process, and slow
// connections cost little more than their buffers, but there may be many. Those
// that find no slot wait in the queue of the system. Servers of one process share it.
//
// A network has a share of the slots (ofNetwork); the connections of a trusted proxy are those
// of many and have none. What is beyond it, or finds all slots taken, has the oldest idle
// connection closed for it, of its network or of all; beyond its share and with none idle
// it is closed itself, because waiting would hold up others.
type Connections struct {
	slots chan struct{}           // nil means no bound
	share func(loopback bool) int // how many of them a network may have

	pause time.Duration // between two looks at what clients take
	held  memlimit.Held // by the connections

	// waiting is how many listeners wait for a slot: the next connection that becomes
	// idle is closed if it is the oldest.
	waiting atomic.Int32

	mu       sync.Mutex
	last     time.Time
	networks map[string]map[*slotConn]struct{} // the open connections
	none     chan struct{}                     // closed when there is no open one any more
}

// NewConnections shares the descriptors of the process between connections and files.
func NewConnections() *Connections { return connectionsOf(descriptorLimit(), memlimit.Find().Bytes) }

// connectionsOf shares as many descriptors, and so much memory; zero means that there is no such bound.
func connectionsOf(descriptors uint64, memory int64) *Connections {
	s := &Connections{networks: map[string]map[*slotConn]struct{}{}, pause: watchTime}
	if descriptors > 0 {
		descriptors = min(descriptors, 1<<20)
		most := descriptors - min(descriptors/2, maxReserved)
		if memory > 0 {
			most = min(most, max(leastSlots, uint64(memory)/memoryPart/perConnection))
		}
		s.slots = make(chan struct{}, most)
	}
	s.share = s.ofNetwork
	return s
}

// ofNetwork is a quarter of the slots, and half for an address of this machine: programs
// that run beside the server are fewer, and each has more connections.
func (s *Connections) ofNetwork(loopback bool) int {
	if loopback {
		return max(1, cap(s.slots)/2)
	}
	return max(1, cap(s.slots)/4)
}

// admit keeps a connection and reports whether its network may have it.
func (s *Connections) admit(c *slotConn, most int) bool {
	if s.slots == nil {
		return true
	}
	for {
		s.mu.Lock()
		own := s.networks[c.network]
		if len(own) < most {
			if len(s.networks) == 0 {
				s.none = make(chan struct{})
				go s.watchUnread(s.none)
			}
			if own == nil {
				own = map[*slotConn]struct{}{}
				s.networks[c.network] = own
			}
			own[c] = struct{}{}
			s.mu.Unlock()
			return true
		}
		idle := oldestIdle(nil, own)
		s.mu.Unlock()
		if idle == nil {
			return false
		}
		idle.closeIdle()
	}
}

// closeOldestIdle closes the oldest idle connection of all.
func (s *Connections) closeOldestIdle() {
	var idle *slotConn
	s.mu.Lock()
	for _, own := range s.networks {
		idle = oldestIdle(idle, own)
	}
	s.mu.Unlock()
	if idle != nil {
		idle.closeIdle()
	}
}

// oldestIdle is that of some connections, or the one that was found before.
func oldestIdle(found *slotConn, among map[*slotConn]struct{}) *slotConn {
	for c := range among {
		since := c.idle.Load()
		if since > 0 && (found == nil || since < found.idle.Load()) {
			found = c
		}
	}
	return found
}

// noteState keeps in mind since when a connection is idle (http.Server.ConnState). Each
// request comes by here twice: there is no lock.
func (s *Connections) noteState(c net.Conn, state http.ConnState) {
	for c != nil {
		switch inner := c.(type) {
		case *slotConn:
			if state == http.StateIdle {
				inner.idle.Store(clock.Real().Now().UnixNano())
			} else {
				inner.begun.Add(1)
				inner.idle.Store(0)
			}
			if s.waiting.Load() > 0 {
				s.closeOldestIdle()
			}
			return
		case interface{ NetConn() net.Conn }: // of TLS, and begun
			c = inner.NetConn()
		default:
			return
		}
	}
}

// take waits for a slot and reports whether there is one before the listener closes.
func (s *Connections) take(closed <-chan struct{}, log *slog.Logger) bool {
	if s.slots == nil {
		return true
	}
	select {
	case s.slots <- struct{}{}:
		return true
	default:
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	s.closeOldestIdle()
	select {
	case s.slots <- struct{}{}:
		return true
	default:
		s.note(log, "connections wait: as many are open as the limit of open files (ulimit -n) or the memory allows")
	}
	select {
	case s.slots <- struct{}{}:
		return true
	case <-closed:
		return false
	}
}

// forget ends what admit began.
func (s *Connections) forget(c *slotConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.networks[c.network]
	if delete(own, c); len(own) > 0 {
		return
	}
	if delete(s.networks, c.network); len(s.networks) == 0 {
		close(s.none)
	}
}

// note says that connections wait or are refused, once in a while: clients see nothing but
// time passing.
func (s *Connections) note(log *slog.Logger, text string, more ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := clock.Real().Now()
	if !s.last.IsZero() && now.Sub(s.last) < acceptPause {
		return
	}
	s.last = now
	log.Error(text, append(more, "slots", cap(s.slots))...)
}

// boundedListener hands a connection on when there is a slot for it. Waiting for
// connections takes none: a lab has a thousand ports, most of them idle.
type boundedListener struct {
	net.Listener
	slots   *Connections
	log     *slog.Logger
	proxies []netip.Prefix // whose connections have no share
	closed  chan struct{}
	once    sync.Once
}

func (s *Connections) bound(l net.Listener, log *slog.Logger, proxies []netip.Prefix) *boundedListener {
	return &boundedListener{Listener: l, slots: s, log: log, proxies: proxies, closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, ok := c.(*net.TCPConn)
		if !ok {
			return nil, errors.Join(errors.New("connections of this listener cannot be counted"), c.Close())
		}
		from := clientaddr.Peer(tcp)
		conn := &slotConn{TCPConn: tcp, slots: l.slots, network: clientaddr.Network(from)}
		if !l.slots.admit(conn, l.most(from)) {
			_ = tcp.Close() // nothing was said on it
			l.slots.note(l.log, "connections of a network are refused: it has its share of what open files (ulimit -n) "+
				"and memory allow", "network", conn.network)
			continue
		}
		if !l.slots.take(l.closed, l.log) {
			l.slots.forget(conn)
			return nil, errors.Join(net.ErrClosed, tcp.Close())
		}
		conn.counted = l.slots.slots != nil
		boundUnsent(tcp)
		return conn, nil
	}
}

// most is how many connections the network of a peer may have.
func (l *boundedListener) most(from *http.Request) int {
	if trustedPeer(l.proxies, from) {
		return math.MaxInt
	}
	return l.slots.share(clientaddr.Loopback(from))
}

// Close implements net.Listener.
func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// slotConn gives its slot back when it is closed. It has all methods of the connection,
// which lets a file be sent without copying it.
type slotConn struct {
	*net.TCPConn
	slots   *Connections
	network string
	counted bool
	idle    atomic.Int64  // since when no request is on it, in nanoseconds; 0 while one is
	begun   atomic.Uint32 // changes with each request
	write   takeLimit
	unread  unread
	seen    uint32 // begun, at the last look of watchUnread
	once    sync.Once
}

// closeIdle closes the connection, unless a request has come on it.
func (c *slotConn) closeIdle() {
	if since := c.idle.Load(); since > 0 && c.idle.CompareAndSwap(since, 0) {
		if _, left := takenBytes(c.TCPConn); left > 0 {
			_ = c.SetLinger(0) // its client does not read: the system would keep what is left
		}
		_ = c.Close() // its client sees what it sees after a long pause
	}
}

// Close implements net.Conn.
func (c *slotConn) Close() error {
	err := c.TCPConn.Close()
	c.once.Do(func() {
		if c.counted {
			c.slots.forget(c)
			<-c.slots.slots
		}
	})
	return err
}
