package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// server is how one program is started.
type server struct {
	// arguments is the command line that serves a folder on an address.
	arguments func(folder, address string) []string
	env       []string
	// prepare puts files into the folder first.
	prepare func(folder string) error
	// ready is asked with GET until it answers; a server without HTTP has answered.
	ready    string
	answered func(ctx context.Context, folder string) error
}

// child is one life of a server.
type child struct {
	address string
	folder  string
	took    time.Duration // from before the process was there to its first answer
	cmd     *exec.Cmd
	output  *bytes.Buffer
	exited  chan struct{}
}

// readyWithin bounds a start on a busy machine.
const readyWithin = time.Minute

// start runs the server in a folder and waits for its first answer.
func (s server) start(ctx context.Context, folder string) (*child, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if s.prepare != nil {
		if err := s.prepare(folder); err != nil {
			return nil, err
		}
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := s.arguments(folder, address)
	c := &child{address: address, folder: folder, output: new(bytes.Buffer), exited: make(chan struct{})}
	c.cmd = exec.Command(args[0], args[1:]...)
	c.cmd.Dir, c.cmd.Env = folder, append(program.Environ(), s.env...)
	c.cmd.Stdout, c.cmd.Stderr = c.output, c.output
	began := time.Now()
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = c.cmd.Wait(); close(c.exited) }()
	if err := s.wait(ctx, c); err != nil {
		c.stop()
		return nil, fmt.Errorf("%s did not answer: %w\n%s", filepath.Base(args[0]), err, c.output)
	}
	c.took = time.Since(began)
	return c, nil
}

// wait asks every millisecond until an answer comes.
func (s server) wait(ctx context.Context, c *child) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	ask := func() error { return s.answered(ctx, c.folder) }
	if s.answered == nil {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		ask = func() error { return answers(ctx, client, "http://"+c.address+s.ready) }
	}
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-c.exited:
			return errors.New("it ended")
		case <-ctx.Done():
			return err
		}
	}
}

// answers reports whether the server says anything but that it is not ready.
func answers(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusInternalServerError {
		err = errors.New(response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

// freeAddress is a free one of loopback.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// stop ends the process and returns when it is gone.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.exited:
	case <-time.After(10 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
}

// memory is what the process holds, in megabytes.
func (c *child) memory() (float64, error) { return drive.Resident(c.cmd.Process.Pid) }
