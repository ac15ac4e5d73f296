package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/platform/module"
)

// ErrNoServer means that no process listens on the folder's admin socket.
var ErrNoServer = errors.New("no server is running on this data folder")

// NoFolder is the answer of everything that looks into a data folder and finds
// none.
func NoFolder(dir string) *module.CommandError {
	return module.Fail(module.NotFound, "start one with stoa start --wait, or name it with --data",
		"there is no data folder %s", dir)
}

// Client speaks to the server that owns a data folder.
type Client struct {
	http *http.Client
}

// Dial finds the server of the folder, or says ErrNoServer.
func Dial(ctx context.Context, dir string) (*Client, Status, error) {
	path := filepath.Join(dir, SocketName)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return listen.DialSocket(ctx, path)
	}}
	c := &Client{http: &http.Client{Transport: transport}}

	var status Status
	err := c.get(ctx, "/status", &status)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, status, ErrNoServer
	}
	if err != nil {
		c.Close()
		// The system's own words, without the address that only we know.
		var call *os.SyscallError
		if errors.As(err, &call) {
			err = call.Err
		}
		return nil, status, fmt.Errorf("admin socket %s: %w", path, err)
	}
	return c, status, nil
}

// Close drops the connection.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Run sends one command and returns its result as JSON.
func (c *Client) Run(
	ctx context.Context, path string, values map[string][]string, progress func(module.Progress),
) (json.RawMessage, error) {
	return c.send(ctx, request{Path: path, Values: values}, progress)
}

// CheckCommand returns why the command would be refused, nil when it would not.
func (c *Client) CheckCommand(ctx context.Context, path string, values map[string][]string) error {
	_, err := c.send(ctx, request{Path: path, Values: values, CheckOnly: true}, nil)
	return err
}

func (c *Client) send(ctx context.Context, r request, progress func(module.Progress)) (json.RawMessage, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	response, err := c.do(ctx, http.MethodPost, "/command", body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // read, or not needed

	decoder := json.NewDecoder(response.Body)
	for {
		var l answerLine
		if err := decoder.Decode(&l); err != nil {
			return nil, fmt.Errorf("the server ended before the command did: %w", err)
		}
		switch {
		case l.Error != nil:
			return nil, l.Error
		case l.Progress != nil:
			if progress != nil {
				progress(*l.Progress)
			}
		default:
			return l.Result, nil
		}
	}
}

func (c *Client) get(ctx context.Context, path string, out any) error {
	response, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // read, or not needed
	return json.NewDecoder(response.Body).Decode(out)
}

func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://admin"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1024))
		_ = response.Body.Close() // the status says what failed
		return nil, fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(text))
	}
	return response, nil
}
