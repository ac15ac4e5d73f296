package admin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"stoa.dev/stoa/internal/app/admin/transfer"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/platform/module"
)

// maxRequest bounds one command; the longest lists a few hundred file names.
const maxRequest = 1 << 20

// Server answers on the admin socket of one data folder.
type Server struct {
	http *http.Server
	done chan struct{}
}

// Listen opens the socket and serves the commands. The caller owns the folder
// (folderlock.Open), so a socket file found there is left over from a
// process that ended without removing it.
func Listen(dir string, commands func() []module.Command, status func() Status, config PrintConfig) (*Server, error) {
	path := filepath.Join(dir, SocketName)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("admin socket: %w", err)
	}
	if err := transfer.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("admin socket: %w", err)
	}
	listener, err := listen.Socket(path)
	if err != nil {
		return nil, fmt.Errorf("admin socket: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(status()) // or the client is gone
	})
	mux.HandleFunc("GET /config", func(w http.ResponseWriter, r *http.Request) {
		if err := config(w, r.URL.Query().Has("changed")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.Handle("POST /command", commandHandler(dir, commands))

	s := &Server{
		http: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // ends with Close
	}()
	return s, nil
}

// Close waits for running commands as long as the context allows.
func (s *Server) Close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.done
	return err
}

// commandHandler makes the commands when the first one is asked for: most worlds of a
// lab are never asked one.
func commandHandler(dir string, commands func() []module.Command) http.Handler {
	byPath := sync.OnceValue(func() map[string]module.Command {
		list := commands()
		found := make(map[string]module.Command, len(list))
		for _, c := range list {
			found[c.Path] = c
		}
		return found
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bufio.NewReader(r.Body)
		in, err := readRequest(body)
		if err != nil {
			http.Error(w, "malformed command", http.StatusBadRequest)
			return
		}
		out := &stream{w: w}
		if c, ok := byPath()[in.Path]; ok && in.Files {
			out.runWithFiles(r.Context(), dir, c, in.Values, body)
			return
		}
		_, _ = io.Copy(io.Discard, body) // a client that still sends does not read
		result, err := run(r.Context(), byPath(), in, out.progress)
		out.finish(result, err)
	})
}

// readRequest reads the first line of a body.
func readRequest(body *bufio.Reader) (in request, err error) {
	line, err := io.ReadAll(io.LimitReader(&untilLineEnd{r: body}, maxRequest+1))
	if err != nil {
		return in, err
	}
	if len(line) > maxRequest {
		return in, errors.New("the command is too long")
	}
	return in, json.Unmarshal(line, &in)
}

// untilLineEnd reads one line, and nothing behind it.
type untilLineEnd struct {
	r    *bufio.Reader
	done bool
}

func (u *untilLineEnd) Read(b []byte) (n int, err error) {
	for ; n < len(b) && !u.done; n++ {
		if b[n], err = u.r.ReadByte(); err != nil {
			return n, err
		}
		u.done = b[n] == '\n'
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// runWithFiles takes over what the command reads and sends what it wrote.
func (s *stream) runWithFiles(
	ctx context.Context, dir string, c module.Command, values map[string][]string, body io.Reader,
) {
	copies, err := transfer.Receive(dir, c, values, body)
	_, _ = io.Copy(io.Discard, body) // a client that still sends does not read
	if err != nil {
		s.finish(nil, fmt.Errorf("take over the files of the command: %w", err))
		return
	}
	remove := func() { _ = copies.Remove() } // what is left is removed by the next start
	defer remove()
	result, err := runWithFiles(ctx, c, values, copies, s.progress)
	if err == nil && transfer.Writes(c, values) {
		s.write(answerLine{Output: true})
		if err := copies.SendOutputs(s.w); err != nil {
			panic(http.ErrAbortHandler) // the client sees that the answer has no end
		}
	}
	remove()
	s.finish(result, err)
}

// stream writes the lines of one answer.
type stream struct {
	mu sync.Mutex
	w  http.ResponseWriter
}

func (s *stream) progress(p module.Progress) { s.write(answerLine{Progress: &p}) }

func (s *stream) finish(result any, err error) {
	if err != nil {
		s.write(answerLine{Error: asFailure(err)})
		return
	}
	text, err := json.Marshal(result)
	if err != nil {
		s.write(answerLine{Error: asFailure(fmt.Errorf("encode the result: %w", err))})
		return
	}
	s.write(answerLine{Result: text})
}

// write ignores a client that has gone: the command's effect stays.
func (s *stream) write(l answerLine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if json.NewEncoder(s.w).Encode(l) == nil {
		_ = http.NewResponseController(s.w).Flush() // or the client is gone
	}
}
