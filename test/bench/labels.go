package main

import "context"

// labelsRows: D's GET with a token and a limiter against the same bytes served
// bare.
func labelsRows() []row {
	return []row{{name: "D: GET label limits with token, 16 clients", run: (*bench).labelsGet, atLeast: 0.45}}
}

func (b *bench) labelsGet(ctx context.Context) ([]result, error) {
	o, err := b.startOurs(ctx, b.folder("labels"))
	if err != nil {
		return nil, err
	}
	defer o.close()
	if _, err := o.issue(ctx, "user add", "", map[string][]string{"name": {"bench"}, "password": {benchPassword}}); err != nil {
		return nil, err
	}
	token, err := o.issue(ctx, "token issue", "token", map[string][]string{"user": {"bench"}, "service": {"labels"}})
	if err != nil {
		return nil, err
	}
	const path = "/v2/limits/label?name=limits/label"
	return b.gets(ctx, o, bareWord, path, token)
}
