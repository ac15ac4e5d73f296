package labclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/control"
	"stoa.dev/stoa/internal/platform/module"
)

// Client calls the control API of a lab.
type Client struct{ URL, Token string }

// Send makes one call; a nil body sends none.
func (c *Client) Send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.URL+control.Prefix+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.Token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, module.Fail(module.Failed,
			"it has ended, has only begun to start, or the address is another's: try again, or start it with stoa lab",
			"the lab at %s does not answer", c.URL)
	}
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	return nil, failure(response)
}

// Call sends a JSON body and returns the answer's.
func (c *Client) Call(ctx context.Context, method, path string, in any) (_ json.RawMessage, err error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	response, err := c.Send(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	return io.ReadAll(response.Body)
}

// failure gives the lab's refusal an exit code.
func failure(response *http.Response) error {
	var answer struct {
		Error struct{ Code, Message, Next string }
	}
	err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&answer)
	if err != nil || answer.Error.Message == "" {
		return module.Fail(module.Failed, "see that STOA_LAB_URL is the address that stoa lab prints; stoa serve has no lab",
			"%s answered %s, which no lab does", response.Request.URL.Host, response.Status)
	}
	message, next := labwords.Refusal(answer.Error.Message, answer.Error.Next)
	return Refused(&lab.Error{Code: lab.Code(answer.Error.Code), Message: message, Next: next})
}

// Refused gives a refusal of a lab an exit code.
func Refused(e *lab.Error) *module.CommandError {
	kind, known := map[lab.Code]module.Failure{
		lab.CodeInvalid: module.Usage, lab.CodeNotFound: module.NotFound, lab.CodeConflict: module.Conflict,
	}[e.Code]
	if !known {
		kind = module.Failed
	}
	return module.Fail(kind, e.Next, "%w", e)
}
