package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

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
func Listen(dir string, commands func() []module.Command, status func() Status) (*Server, error) {
	path := filepath.Join(dir, SocketName)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
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
	mux.Handle("POST /command", commandHandler(commands))

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
func commandHandler(commands func() []module.Command) http.Handler {
	byPath := sync.OnceValue(func() map[string]module.Command {
		list := commands()
		found := make(map[string]module.Command, len(list))
		for _, c := range list {
			found[c.Path] = c
		}
		return found
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in request
		body := http.MaxBytesReader(w, r.Body, maxRequest)
		if err := json.NewDecoder(body).Decode(&in); err != nil {
			http.Error(w, "malformed command", http.StatusBadRequest)
			return
		}
		out := &stream{w: w}
		result, err := run(r.Context(), byPath(), in, out.progress)
		out.finish(result, err)
	})
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

func asFailure(err error) *module.CommandError {
	var failure *module.CommandError
	if errors.As(err, &failure) {
		return failure
	}
	return module.Fail(module.Failed, "", "%w", err)
}
