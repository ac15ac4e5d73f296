package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/program"
)

// ours is one life of the true binary with an operator's connection to it.
type ours struct {
	*program.Process
	admin  *admin.Client
	client *http.Client
	data   string
}

// startOurs serves a data folder with every service on, tokens checked and
// limits counted. The limits are raised, not removed: one generator plays the
// part of many users.
func (b *bench) startOurs(ctx context.Context, data string, env ...string) (*ours, error) {
	env = append(append(env, "STOA_LOG_LEVEL=error"), raisedLimits()...)
	o, err := dial(ctx, program.Options{Binary: b.binary, Data: data, Env: env})
	if err == nil {
		b.pids[o.address()] = o.PID()
	}
	return o, err
}

// dial starts the binary and connects to it as an operator.
func dial(ctx context.Context, options program.Options) (*ours, error) {
	p, err := program.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	operator, _, err := admin.Dial(ctx, options.Data)
	if err != nil {
		p.Kill()
		return nil, err
	}
	// Some rows fill a folder with as many writers as share a commit well.
	transport := &http.Transport{MaxIdleConnsPerHost: fillers}
	return &ours{Process: p, admin: operator, data: options.Data, client: &http.Client{Transport: transport}}, nil
}

// fillers is how many write at once when a folder is filled.
const fillers = 64

func (o *ours) close() {
	o.client.CloseIdleConnections()
	o.admin.Close()
	o.Kill()
}

// address is HOST:PORT of the listener.
func (o *ours) address() string { return strings.TrimPrefix(o.URL, "http://") }

// issue runs a command and returns one member of its result.
func (o *ours) issue(ctx context.Context, path, member string, values map[string][]string) (string, error) {
	text, err := o.admin.Run(ctx, path, values, nil)
	if err != nil {
		return "", fmt.Errorf("stoa %s: %w", path, err)
	}
	var made map[string]any
	if err := json.Unmarshal(text, &made); err != nil {
		return "", err
	}
	if member == "" {
		return "", nil
	}
	value, ok := made[member].(string)
	if !ok {
		return "", fmt.Errorf("stoa %s printed no %s: %s", path, member, text)
	}
	return value, nil
}

// get fetches one answer, to give the bare server the same body.
func (o *ours) get(ctx context.Context, path, bearer string) (string, error) {
	text, err := o.send(ctx, http.MethodGet, path, bearer, "")
	return string(text), err
}

// send is one request the ordinary way; it fails unless it succeeds.
func (o *ours) send(ctx context.Context, method, path, bearer, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, o.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := o.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %.80s: %s %.200s", method, path, response.Status, text)
	}
	return text, err
}

// startFor serves a folder with one user and returns the user's token for a
// service.
func (b *bench) startFor(ctx context.Context, folder, service string, env ...string) (*ours, string, error) {
	o, err := b.startOurs(ctx, b.folder(folder), env...)
	if err != nil {
		return nil, "", err
	}
	token, err := o.member(ctx, service)
	if err != nil {
		o.close()
		return nil, "", err
	}
	return o, token, nil
}

// member makes the user and a token for a service.
func (o *ours) member(ctx context.Context, service string) (token string, err error) {
	return o.another(ctx, service, "bench")
}

// another is member for a user of a name.
func (o *ours) another(ctx context.Context, service, name string) (token string, err error) {
	if _, err := o.issue(ctx, "user add", "", map[string][]string{
		"name": {name}, "password": {benchPassword},
	}); err != nil {
		return "", err
	}
	return o.issue(ctx, "token issue", "token", map[string][]string{"user": {name}, "service": {service}})
}

// createdID is the id of what a POST made.
func (o *ours) createdID(ctx context.Context, path, bearer, body string) (string, error) {
	answer, err := o.send(ctx, http.MethodPost, path, bearer, body)
	if err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(answer, &made); err != nil || made.ID == "" {
		return "", fmt.Errorf("POST %s: no id in the answer: %w", path, err)
	}
	return made.ID, nil
}
