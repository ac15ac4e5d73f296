package main

import (
	"context"
	"encoding/json"

	"stoa.dev/stoa/test/bench/drive"
)

// apikeysRows: L's refresh is a durable replacement of one row over HTTP, and its GET
// says whose key it is.
func apikeysRows() []row {
	return []row{
		{name: "L: POST refresh, durable", run: (*bench).apikeysRefresh, atLeast: 0},
		{name: "L: GET me with key, 16 clients", run: (*bench).apikeysMe},
	}
}

func (b *bench) apikeysMe(ctx context.Context) ([]result, error) {
	o, err := b.startOurs(ctx, b.folder("apikeys-me"))
	if err != nil {
		return nil, err
	}
	defer o.close()
	if _, err := o.issue(ctx, "user add", "", map[string][]string{
		"name": {"bench"}, "password": {benchPassword},
	}); err != nil {
		return nil, err
	}
	key, err := o.issue(ctx, "key issue", "key", map[string][]string{
		"user": {"bench"}, "service": {"apikeys"}, "never": {"true"},
	})
	if err != nil {
		return nil, err
	}
	return b.gets(ctx, o, bareWord, "/v2/me", key)
}

// refreshChain refreshes the key it got last.
type refreshChain struct {
	host, key string
}

func (c *refreshChain) Next() []byte {
	return drive.Request("POST", "/v2/api-keys/refresh", c.host, c.key, `{"apiKeyNeverExpires":true}`)
}

func (c *refreshChain) Seen(body []byte) error {
	var answer struct{ Data struct{ APIKey string } }
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	c.key = answer.Data.APIKey
	return nil
}

func (b *bench) apikeysRefresh(ctx context.Context) ([]result, error) {
	o, err := b.startOurs(ctx, b.folder("apikeys"))
	if err != nil {
		return nil, err
	}
	defer o.close()
	if _, err := o.issue(ctx, "user add", "", map[string][]string{
		"name": {"bench"}, "password": {benchPassword},
	}); err != nil {
		return nil, err
	}
	var results []result
	for _, clients := range writers() {
		chains := make([]*refreshChain, clients)
		for i := range chains {
			key, err := o.issue(ctx, "key issue", "key", map[string][]string{
				"user": {"bench"}, "service": {"apikeys"}, "never": {"true"},
			})
			if err != nil {
				return nil, err
			}
			chains[i] = &refreshChain{host: o.address(), key: key}
		}
		s, err := repeat(ctx, b.rounds, b.load(o.address(), clients, func(i int) drive.Source { return chains[i] }))
		if err != nil {
			return nil, err
		}
		results = append(results, rateResult(clientsLabel(clients), s))
	}
	return results, nil
}
