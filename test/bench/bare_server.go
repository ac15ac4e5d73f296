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
	"strconv"
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

// bareAnswers are the kinds of bare servers by the word that starts each.
func bareAnswers() map[string]func([]byte) http.Handler {
	return map[string]func([]byte) http.Handler{
		bareWord: constantAnswer, bareListWord: encodedAnew[bareTasks], bareEventsWord: encodedAnew[[]bareEvent],
		bareArticlesWord: encodedAnew[[]bareArticle], bareBuildsWord: encodedAnew[[]bareBuild],
	}
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

// encodedAnew decodes the answer into T once and encodes that each time, which is
// the least a server with live data does.
func encodedAnew[T any](body []byte) http.Handler {
	var list T
	if err := json.Unmarshal(body, &list); err != nil {
		panic(fmt.Sprintf("the bare list is not a list: %v", err))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, err := json.Marshal(list)
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text)
	})
}

// bareTasks has the members of a list of tasks.
type bareTasks struct {
	Kind  string     `json:"kind"`
	Etag  string     `json:"etag"`
	Items []bareTask `json:"items"`
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
