package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// These words make this program a bare server instead of the measurement.
const (
	bareWord     = "bare-server"
	bareListWord = "bare-list-server"
)

// serveBare answers every request the same way, made from the JSON bytes on
// standard input: the least a Go server can do for the same answer.
func serveBare(in io.Reader, out io.Writer, answer func([]byte) http.Handler) error {
	body, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, listener.Addr())
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: answer(body)}
	return server.Serve(listener)
}

// constantAnswer sends the same bytes each time.
func constantAnswer(body []byte) http.Handler {
	length := fmt.Sprint(len(body))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", length)
		_, _ = w.Write(body)
	})
}

// listAnswer encodes the same list of structs each time, which is the least a
// server can do for a list that may change.
func listAnswer(body []byte) http.Handler {
	var list struct {
		Kind  string     `json:"kind"`
		Etag  string     `json:"etag"`
		Items []bareTask `json:"items"`
	}
	if err := json.Unmarshal(body, &list); err != nil || len(list.Items) == 0 {
		panic(fmt.Sprintf("the bare list is no list: %v", err))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, err := json.Marshal(list)
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = w.Write(text)
	})
}

// bareTask has the members of a task.
type bareTask struct {
	Kind     string     `json:"kind"`
	ID       string     `json:"id"`
	Etag     string     `json:"etag"`
	Title    string     `json:"title"`
	Updated  string     `json:"updated"`
	SelfLink string     `json:"selfLink"`
	Position string     `json:"position"`
	Status   string     `json:"status"`
	Links    []struct{} `json:"links"`
	View     string     `json:"webViewLink"`
}

// startBare runs the bare server as a child, as ours is one, with the given
// answer. It returns its address and how to end it.
func startBare(ctx context.Context, body string) (address string, stop func(), err error) {
	return startBareAs(ctx, bareWord, body)
}

// startBareAs chooses the kind: constant bytes, or a list encoded anew each time.
func startBareAs(ctx context.Context, word, body string) (address string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, self, word)
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
