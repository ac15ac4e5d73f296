package main

import "context"

// labelsRows: D's GET with a token and a limiter against the same bytes served
// bare.
func labelsRows() []row {
	return []row{{name: "D: GET label limits with token, 16 clients", run: (*bench).labelsGet, atLeast: 0.45}}
}

func (b *bench) labelsGet(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "labels", "labels")
	if err != nil {
		return nil, err
	}
	defer o.close()
	return b.gets(ctx, o, bareWord, "/v2/limits/label?name=limits/label", token)
}
