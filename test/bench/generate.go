package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const (
	generatePath = "/v1beta/models/stoa-script:generateContent?key="
	generateBody = `{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}`
)

// generateRows: M's script answers a prompt, counted, judged and limited,
// against the same bytes served bare.
func generateRows() []row {
	return []row{{name: "M: POST generateContent by the script, 16 clients", run: (*bench).generateContent, atLeast: 0.3}}
}

func (b *bench) generateContent(ctx context.Context) ([]result, error) {
	o, err := b.startOurs(ctx, b.folder("generate"))
	if err != nil {
		return nil, err
	}
	defer o.close()
	if _, err := o.issue(ctx, "user add", "", map[string][]string{"name": {"bench"}, "password": {benchPassword}}); err != nil {
		return nil, err
	}
	key, err := o.issue(ctx, "key issue", "key", map[string][]string{"user": {"bench"}, "service": {"generate"}, "never": {"true"}})
	if err != nil {
		return nil, err
	}
	body, err := postOnce(ctx, o.URL+generatePath+key)
	if err != nil {
		return nil, err
	}
	bare, stop, err := startBare(ctx, body)
	if err != nil {
		return nil, err
	}
	defer stop()
	against := func(address string) load {
		text := request("POST", generatePath+key, address, "", generateBody)
		return b.load(address, 16, func(int) source { return constant(text) })
	}
	c, err := compare(ctx, b.rounds, against(bare), against(o.address()))
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}

// postOnce is the answer that the bare server repeats.
func postOnce(ctx context.Context, address string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(generateBody))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("generate: %d %s", response.StatusCode, text)
	}
	return string(text), err
}
