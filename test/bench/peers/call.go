package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// call is one request the ordinary way, to prepare a server; it fails unless it
// succeeds, and reads the answer into a value when one is given.
func (c *child) call(ctx context.Context, method, path, bearer, body string, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+c.address+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %.80s: %s %.200s", method, path, response.Status, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// created makes something and returns its id.
func (c *child) created(ctx context.Context, path, bearer, body string) (string, error) {
	var made struct {
		ID string `json:"id"`
	}
	err := c.call(ctx, http.MethodPost, path, bearer, body, &made)
	if err == nil && made.ID == "" {
		err = fmt.Errorf("POST %s: no id in the answer", path)
	}
	return made.ID, err
}

// createdMany makes n of the same and returns the id of the last.
func (c *child) createdMany(ctx context.Context, n int, path, bearer, body string) (id string, err error) {
	for range n {
		if id, err = c.created(ctx, path, bearer, body); err != nil {
			return "", err
		}
	}
	return id, nil
}
