package admin

import (
	"bufio"
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

	"stoa.dev/stoa/internal/app/admin/transfer"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/platform/module"
)

// ErrNoServer means that no process listens on the folder's admin socket.
var ErrNoServer = errors.New("no server is running on this data folder")

// NoFolder is the answer of everything that looks into a data folder and finds
// none.
func NoFolder(dir string) *module.CommandError {
	return module.Fail(module.NotFound,
		"start one with stoa start --wait, or name it with --data or STOA_DATA; the packaged service has /var/lib/stoa",
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
	return c.send(ctx, request{Path: path, Values: values}, nil, progress)
}

// RunWithFiles is Run for a command that reads or writes files: this process opens them.
func (c *Client) RunWithFiles(
	ctx context.Context, command module.Command, values map[string][]string, progress func(module.Progress),
) (json.RawMessage, error) {
	if !transfer.Needed(command, values) {
		return c.Run(ctx, command.Path, values, progress)
	}
	err := errors.Join(transfer.CheckInputs(command, values), transfer.CheckOutputs(command, values))
	if err != nil {
		return nil, err
	}
	return c.send(ctx, request{Path: command.Path, Values: values, Files: true}, &command, progress)
}

// CheckCommand returns why the command would be refused, nil when it would not.
func (c *Client) CheckCommand(ctx context.Context, path string, values map[string][]string) error {
	_, err := c.send(ctx, request{Path: path, Values: values, CheckOnly: true}, nil, nil)
	return err
}

// send sends a request, with the files of the command where one is given.
func (c *Client) send(
	ctx context.Context, r request, files *module.Command, progress func(module.Progress),
) (json.RawMessage, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	body, end := requestBody(append(head, '\n'), files, r.Values)
	response, err := c.do(ctx, http.MethodPost, "/command", body)
	if failed := end(); failed != nil {
		err = failed // the cause of the other
	}
	if err != nil {
		if response != nil {
			_ = response.Body.Close() // it cannot be read to its end
		}
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // read, or not needed
	return readAnswer(response.Body, r, files, progress)
}

// requestBody is the line of a request and the files that follow it. end waits until all
// was sent and says what could not be read.
func requestBody(head []byte, files *module.Command, values map[string][]string) (io.Reader, func() error) {
	if files == nil {
		return bytes.NewReader(head), func() error { return nil }
	}
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := transfer.SendInputs(out, *files, values)
		if errors.Is(err, io.ErrClosedPipe) {
			err = nil // the server did not want it; its answer says why
		}
		_ = out.CloseWithError(err) // it returns no error
		done <- err
	}()
	return io.MultiReader(bytes.NewReader(head), in), func() error {
		_ = in.Close() // it returns no error
		return <-done
	}
}

// readAnswer reads the lines of an answer to its result.
func readAnswer(
	body io.Reader, r request, files *module.Command, progress func(module.Progress),
) (json.RawMessage, error) {
	decoder := json.NewDecoder(body)
	written := files == nil || !transfer.Writes(*files, r.Values)
	for {
		var l answerLine
		if err := decoder.Decode(&l); err != nil {
			return nil, fmt.Errorf("the server ended before the command did: %w", err)
		}
		switch {
		case l.Error != nil:
			return nil, l.Error
		case l.Output && files != nil:
			rest := bufio.NewReader(io.MultiReader(decoder.Buffered(), body))
			if _, err := rest.ReadBytes('\n'); err != nil { // the end of the line
				return nil, fmt.Errorf("the server ended before the command did: %w", err)
			}
			if err := transfer.TakeOutputs(rest, *files, r.Values); err != nil {
				return nil, err
			}
			body = rest
			decoder, written = json.NewDecoder(body), true
		case l.Progress != nil:
			if progress != nil {
				progress(*l.Progress)
			}
		case !written:
			return nil, module.Fail(module.Failed, "restart the server with this version: compare stoa version",
				"the running server sent no file: it may have written one where only it sees it")
		default:
			return l.Result, nil
		}
	}
}

// Config gives the settings of the server of a folder as YAML, with a line about it, or says
// ErrNoServer.
func Config(ctx context.Context, dir string, changed bool) ([]byte, error) {
	c, status, err := Dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	text, err := c.Config(ctx, changed)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "# the server that runs on this folder: process %d at %s\n%s",
		status.PID, status.URL, text), nil
}

// Config gives the settings of the server as YAML, secrets masked.
func (c *Client) Config(ctx context.Context, changed bool) ([]byte, error) {
	path := "/config"
	if changed {
		path += "?changed"
	}
	response, err := c.do(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(response.Body)
	return text, errors.Join(err, response.Body.Close())
}

func (c *Client) get(ctx context.Context, path string, out any) error {
	response, err := c.do(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // read, or not needed
	return json.NewDecoder(response.Body).Decode(out)
}

func (c *Client) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://admin"+path, body)
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
