package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// bareWord makes this program the bare server instead of the measurement.
const bareWord = "bare-server"

// serveBare answers every request with the same JSON bytes, read from standard
// input: the least a Go server can do for the same answer.
func serveBare(in io.Reader, out io.Writer) error {
	body, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, listener.Addr())
	length := fmt.Sprint(len(body))
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", length)
			_, _ = w.Write(body)
		}),
	}
	return server.Serve(listener)
}

// startBare runs the bare server as a child, as ours is one, with the given
// answer. It returns its address and how to end it.
func startBare(ctx context.Context, body string) (address string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, self, bareWord)
	cmd.Stdin = strings.NewReader(body)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if _, err := fmt.Fscanln(stdout, &address); err != nil {
		stop()
		return "", nil, fmt.Errorf("bare server: %w", err)
	}
	return address, stop, nil
}
