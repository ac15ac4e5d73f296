package stoa

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Variable reads a variable of the demo world and ends the program without it.
func Variable(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatalf("%s is not set: run this with \"stoa exec -- go run ./NAME\", or source demo.env first", name)
	}
	return value
}

// URL is the address of a path of the server.
func URL(path string) string { return Variable("STOA_URL") + path }

// Call is one request. Zero fields are left out.
type Call struct {
	Method, Path string
	// Token is presented as a bearer token.
	Token  string
	Header map[string]string
	// Body is sent as JSON, Form as a form.
	Body any
	Form url.Values
}

// Status is the error of an answer that is not a success.
type Status struct {
	Code int
	Text string
}

// Error says what the server said.
func (s *Status) Error() string { return fmt.Sprintf("%d %s", s.Code, s.Text) }

// Do sends the request and decodes the answer into out, unless that is nil.
func (c Call) Do(out any) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %w", c.Method, c.Path, &Status{Code: answer.StatusCode, Text: strings.TrimSpace(string(text))})
	}
	if out == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, out)
}

func (c Call) request() (*http.Request, error) {
	var body io.Reader
	kind := ""
	switch {
	case c.Body != nil:
		text, err := json.Marshal(c.Body)
		if err != nil {
			return nil, err
		}
		body, kind = bytes.NewReader(text), "application/json"
	case c.Form != nil:
		body, kind = strings.NewReader(c.Form.Encode()), "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequest(c.Method, URL(c.Path), body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for name, value := range c.Header {
		r.Header.Set(name, value)
	}
	return r, nil
}

// Must ends the program when something failed.
func Must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
