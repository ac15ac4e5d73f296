package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/control"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/module"
)

// variable is one of the program's environment, empty when it is not set.
func (p *Program) variable(name string) string {
	value := ""
	for _, entry := range p.Environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text
		}
	}
	return value
}

// labClient calls the control API of a lab.
type labClient struct{ url, token string }

// dialLab finds the lab by the environment, or by the file in its folder.
func (p *Program) dialLab() (*labClient, error) {
	c := &labClient{url: p.variable(labURLVariable), token: p.variable(labTokenVariable)}
	if c.url != "" {
		return c, nil
	}
	dir := p.data
	if dir == "" {
		dir = defaultLabDir
	}
	return readLabEnv(dir)
}

// readLabEnv finds a lab by the file that it leaves for its clients.
func readLabEnv(dir string) (*labClient, error) {
	c := &labClient{}
	text, err := os.ReadFile(filepath.Join(dir, server.EnvFile))
	if err != nil {
		return c, module.Fail(module.NotFound, "start one with stoa lab, name its folder with --data, or set "+
			labURLVariable+" and "+labTokenVariable, "no lab was found in %s", dir)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, "'")
		switch name {
		case labURLVariable:
			c.url = value
		case labTokenVariable:
			c.token = value
		}
	}
	return c, nil
}

// send makes one call; a nil body sends none.
func (c *labClient) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+control.Prefix+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, module.Fail(module.Failed, "it has ended, or the address is another's: start it again with stoa lab",
			"the lab at %s does not answer", c.url)
	}
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	return nil, labFailure(response)
}

// call sends a JSON body and returns the answer's.
func (c *labClient) call(ctx context.Context, method, path string, in any) (_ json.RawMessage, err error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	response, err := c.send(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	return io.ReadAll(response.Body)
}

// enterWorld makes the data folder that of the world that --world names. The lab
// opens it, because the world's clock and identifiers are in the lab's hand.
func (p *Program) enterWorld(c *cobra.Command) error {
	if p.worldName == "" {
		return nil
	}
	switch name, _, _ := strings.Cut(strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "), " "); name {
	case "lab", "world", "clock", "fault", "requests", "expect", "inbox", "conduct", "exec", "serve", "start", "worker":
		return module.Fail(module.Usage, "see stoa "+name+" --help", "--world is not for %s", c.CommandPath())
	case "stop":
		return module.Fail(module.Usage, "stoa world sleep "+p.worldName+" closes it, stoa stop --data ends the lab",
			"a world has no process of its own")
	}
	client, err := p.dialLab()
	if err != nil {
		return err
	}
	answer, err := client.call(c.Context(), http.MethodPost, worldPath(p.worldName)+"/wake", struct{}{})
	if err != nil {
		return err
	}
	var w struct{ Env map[string]string }
	if err := json.Unmarshal(answer, &w); err != nil {
		return err
	}
	p.data = w.Env["STOA_DATA"]
	return nil
}

// labFailure gives the lab's refusal an exit code.
func labFailure(response *http.Response) error {
	var answer struct {
		Error struct{ Code, Message, Next string }
	}
	err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&answer)
	if err != nil || answer.Error.Message == "" {
		return module.Fail(module.Failed, "", "the lab answered %s", response.Status)
	}
	message, next := labwords.Refusal(answer.Error.Message, answer.Error.Next)
	return asRefused(&lab.Error{Code: lab.Code(answer.Error.Code), Message: message, Next: next})
}
