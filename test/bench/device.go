package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"stoa.dev/stoa/test/bench/drive"
)

// deviceRows: J's code request is a durable row, its poll a read. Both stand
// beside a bare server that answers the same bytes.
func deviceRows() []row {
	return []row{
		{name: "J: POST device code, durable, 32 clients", run: (*bench).deviceCodes, perSec: 4000},
		{name: "J: POST token, pending poll, 16 clients", run: (*bench).devicePolls, perSec: 8000},
	}
}

const deviceClients = 32

// codeChain asks for codes and keeps what it gets.
type codeChain struct {
	text []byte

	mu    sync.Mutex
	codes []string
}

func (c *codeChain) Next() []byte { return c.text }

func (c *codeChain) Seen(body []byte) error {
	var answer struct {
		DeviceCode string `json:"device_code"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.DeviceCode == "" {
		return fmt.Errorf("no device code in %s: %w", body, err)
	}
	c.mu.Lock()
	c.codes = append(c.codes, answer.DeviceCode)
	c.mu.Unlock()
	return nil
}

// pollRound polls one code after the other, so that none is polled too soon.
type pollRound struct {
	texts [][]byte
	at    int
}

func (p *pollRound) Next() []byte {
	p.at = (p.at + 1) % len(p.texts)
	return p.texts[p.at]
}

func (p *pollRound) Seen([]byte) error { return nil }

// formRequest writes a form as bytes.
func formRequest(path, host string, form url.Values) []byte {
	body := form.Encode()
	return fmt.Appendf(nil,
		"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		path, host, len(body), body)
}

// television registers a device client.
func (o *ours) television(ctx context.Context) (id, secret string, err error) {
	text, err := o.admin.Run(ctx, "client add", map[string][]string{"name": {"bench"}, "type": {"device"}}, nil)
	if err != nil {
		return "", "", err
	}
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	err = json.Unmarshal(text, &made)
	return made.ID, made.Secret, err
}

func (b *bench) deviceCodes(ctx context.Context) ([]result, error) {
	o, err := b.startOurs(ctx, b.folder("device-codes"))
	if err != nil {
		return nil, err
	}
	defer o.close()
	id, _, err := o.television(ctx)
	if err != nil {
		return nil, err
	}
	bare, stop, err := startBare(ctx, codeAnswer())
	if err != nil {
		return nil, err
	}
	defer stop()
	against := func(address string) drive.Load {
		text := formRequest("/device/code", address, url.Values{"client_id": {id}, "scope": {"video"}})
		return b.load(address, deviceClients, func(int) drive.Source { return drive.Constant(text) })
	}
	c, err := compare(ctx, b.rounds, against(bare), against(o.address()))
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}

// codeAnswer has the size of a true one.
func codeAnswer() string {
	return `{"device_code":"` + strings.Repeat("x", 43) + `","user_code":"BCDF-GHJK","verification_url":"http://127.0.0.1:8080/device",` +
		`"verification_uri":"http://127.0.0.1:8080/device","expires_in":1800,"interval":5}`
}

func (b *bench) devicePolls(ctx context.Context) ([]result, error) {
	o, err := b.startOurs(ctx, b.folder("device-polls"))
	if err != nil {
		return nil, err
	}
	defer o.close()
	id, secret, err := o.television(ctx)
	if err != nil {
		return nil, err
	}
	chain := &codeChain{text: formRequest("/device/code", o.address(), url.Values{"client_id": {id}, "scope": {"video"}})}
	// Enough codes that a fast server does not come back to one within its
	// interval of a second.
	const wanted = 40_000
	for tries := 0; len(chain.codes) < wanted; tries++ {
		if tries == 30 {
			return nil, errors.New("the codes to poll could not be made in time")
		}
		if _, err := b.load(o.address(), deviceClients, func(int) drive.Source { return chain }).Run(ctx); err != nil {
			return nil, err
		}
	}
	bare, stop, err := startBare(ctx, `{"error":"authorization_pending","error_description":"Precondition Required"}`)
	if err != nil {
		return nil, err
	}
	defer stop()
	const clients = 16
	against := func(address, status string) drive.Load {
		rounds := make([]*pollRound, clients)
		for n := range rounds {
			rounds[n] = &pollRound{}
		}
		for n, code := range chain.codes {
			r := rounds[n%clients]
			r.texts = append(r.texts, formRequest("/token", address, url.Values{
				"client_id": {id}, "client_secret": {secret}, "device_code": {code},
				"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
			}))
		}
		l := b.load(address, clients, func(n int) drive.Source { return rounds[n] })
		l.Status = status
		return l
	}
	c, err := compare(ctx, b.rounds, against(bare, ""), against(o.address(), "428"))
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}
