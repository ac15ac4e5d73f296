package kubernetes

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"golang.org/x/net/websocket"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
)

// Channels of an exec connection: the first byte of every message says which.
const (
	channelIn     = 0
	channelOut    = 1
	channelErr    = 2
	channelStatus = 3
	channelClose  = 255 // the next byte is the channel that is closed
)

// closingProtocol has channelClose; servers before 1.30 have the other only.
const (
	closingProtocol = "v5.channel.k8s.io"
	olderProtocol   = "v4.channel.k8s.io"
)

const (
	// pieceSize is how much travels in one message.
	pieceSize = 32 << 10
	// maxMessage bounds one message of the API server, which sends pieces like ours.
	maxMessage = 1 << 20
	// pingInterval keeps what stands between us and the API server from ending a
	// connection on which nothing is said.
	pingInterval = 20 * time.Second
)

// program is one that is started in a container that runs.
type program struct {
	namespace, pod string
	command        []string
	in             io.Reader // nil when it reads nothing
	out            io.Writer
}

// exitError is a program that ended with another code than 0.
type exitError struct {
	code int
	text string
}

// Error implements error.
func (e *exitError) Error() string {
	return fmt.Sprintf("the program ended with code %d: %s", e.code, e.text)
}

// exec runs a program to its end. It returns an exitError, or why it could not be known.
// What is left of in is not read when the program has ended.
func (a *api) exec(ctx context.Context, p program) error {
	query := url.Values{"container": {mainContainer}, "command": p.command, "stderr": {"true"}, "stdout": {"true"}}
	if p.in != nil {
		query.Set("stdin", "true")
	}
	path := podPath(p.namespace, p.pod) + "/exec"
	var ws *websocket.Conn
	err := a.persist(ctx, func(bool) (err error) {
		ws, err = a.upgrade(ctx, path, query) // nothing runs before it
		return err
	})
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = ws.Close() })() // reading and writing then fail
	defer func() { _ = ws.Close() }()                         // said all, or failed
	if p.in != nil {
		go send(ws, p.in)
	}
	pinging, stop := context.WithCancel(ctx)
	defer stop()
	go a.ping(pinging, ws)
	err = receive(ws, p.out)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// upgrade connects and leaves HTTP.
func (a *api) upgrade(ctx context.Context, path string, query url.Values) (*websocket.Conn, error) {
	config, err := websocket.NewConfig(a.address("wss", path, query), a.server.String())
	if err != nil {
		return nil, err
	}
	config.Protocol = []string{closingProtocol, olderProtocol}
	config.Header = http.Header{}
	if err := a.authorize(config.Header); err != nil {
		return nil, err
	}
	conn, err := a.dial(ctx)
	if err != nil {
		return nil, &connectionError{err}
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // the handshake then fails
	defer stop()
	ws, err := websocket.NewClient(config, conn)
	if err == nil {
		ws.PayloadType, ws.MaxPayloadBytes = websocket.BinaryFrame, maxMessage
		return ws, nil
	}
	_ = conn.Close() // the handshake failed
	// The library does not say why the server refused; asked plainly, the server does.
	_, refused := a.send(ctx, http.MethodGet, path, query, nil)
	if refused != nil && !isAnswer(refused, http.StatusBadRequest) {
		return nil, refused
	}
	return nil, fmt.Errorf("kubernetes: exec: %w", err)
}

func (a *api) dial(ctx context.Context) (net.Conn, error) {
	port := a.server.Port()
	if port == "" {
		port = "443"
	}
	conn, err := a.gate.Dial(outbound.Options{Timeout: connectTimeout})(ctx, "tcp",
		net.JoinHostPort(a.server.Hostname(), port))
	if err != nil {
		return nil, err
	}
	settings := a.tls.Clone()
	settings.NextProtos = []string{"http/1.1"} // exec leaves HTTP
	if settings.ServerName == "" {
		settings.ServerName = a.server.Hostname()
	}
	secure := tls.Client(conn, settings)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

// send copies what the program reads. It ends with the connection, or with in.
func send(ws *websocket.Conn, in io.Reader) {
	message := make([]byte, 1+pieceSize)
	message[0] = channelIn
	for {
		n, err := in.Read(message[1:])
		if n > 0 {
			if websocket.Message.Send(ws, message[:1+n]) != nil {
				return
			}
		}
		if err != nil {
			if slices.Equal(ws.Config().Protocol, []string{closingProtocol}) {
				_ = websocket.Message.Send(ws, []byte{channelClose, channelIn}) // or the connection is over
			}
			return
		}
	}
}

// ping is sent until the connection is over.
func (a *api) ping(ctx context.Context, ws *websocket.Conn) {
	codec := websocket.Codec{Marshal: func(any) ([]byte, byte, error) { return nil, websocket.PingFrame, nil }}
	for clock.Sleep(ctx, a.clock, pingInterval) == nil {
		_ = codec.Send(ws, nil) // a broken connection is found by its reader
	}
}

// receive copies what the program prints, and ends with its status.
func receive(ws *websocket.Conn, out io.Writer) error {
	var said tail
	for {
		var message []byte
		if err := websocket.Message.Receive(ws, &message); err != nil {
			return fmt.Errorf("kubernetes: the connection to the pod ended: %w", err)
		}
		if len(message) < 2 {
			continue // channels are opened so
		}
		switch content := message[1:]; message[0] {
		case channelOut:
			if _, err := out.Write(content); err != nil {
				return err
			}
		case channelErr:
			said.add(content)
		case channelStatus:
			return ended(content, said.String())
		}
	}
}

// ended reads how a program ended.
func ended(content []byte, said string) error {
	var s status
	if err := json.Unmarshal(content, &s); err != nil {
		return fmt.Errorf("kubernetes: the status of a program: %w", err)
	}
	if s.Status == "Success" {
		return nil
	}
	for _, cause := range s.Details.Causes {
		if cause.Reason != "ExitCode" {
			continue
		}
		if code, err := strconv.Atoi(cause.Message); err == nil {
			return &exitError{code: code, text: said}
		}
	}
	return fmt.Errorf("kubernetes: a program in the pod: %s", s.Message)
}

// tail is the end of what a program complained about.
type tail struct{ content []byte }

const tailSize = 1000

func (t *tail) add(p []byte) {
	t.content = append(t.content, p...)
	if n := len(t.content) - tailSize; n > 0 {
		t.content = slices.Delete(t.content, 0, n)
	}
}

func (t *tail) String() string { return string(t.content) }
