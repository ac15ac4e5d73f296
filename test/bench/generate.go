package main

import (
	"context"
	"net/http"
	"os"

	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

const (
	generatePath = "/v1beta/models/stoa-script:generateContent?key="
	generateBody = `{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}`
)

// generateRows: M's script answers a prompt, counted, judged and limited,
// against the same bytes served bare.
func generateRows() []row {
	return []row{
		{name: "M: POST generateContent by the script, 16 clients", run: (*bench).generateContent, atLeast: 0.3},
		{name: "M: GET model, 16 clients", run: (*bench).generateModel},
		{name: "M: first byte of a stream while 1000 are open, p99", run: (*bench).generateStreams, atMost: 10, unit: "ms"},
		{name: "M: what an upstream's first byte takes longer", run: (*bench).generateUpstream, atMost: 2000, unit: "µs"},
		{name: "M: tokens of a local model, the engine alone and through the API", run: (*bench).generateLocal, atLeast: 0.9},
	}
}

func (b *bench) generateModel(ctx context.Context) ([]result, error) {
	o, key, err := b.startGenerate(ctx, "generate-model", "")
	if err != nil {
		return nil, err
	}
	defer o.close()
	return b.gets(ctx, o, bareWord, "/v1beta/models/stoa-script?key="+key, "")
}

func (b *bench) generateContent(ctx context.Context) ([]result, error) {
	o, key, err := b.startGenerate(ctx, "generate", "")
	if err != nil {
		return nil, err
	}
	defer o.close()
	body, err := o.send(ctx, http.MethodPost, generatePath+key, "", generateBody)
	if err != nil {
		return nil, err
	}
	bare, stop, err := startBare(ctx, string(body))
	if err != nil {
		return nil, err
	}
	defer stop()
	against := func(address string) drive.Load {
		text := drive.Request("POST", generatePath+key, address, "", generateBody)
		return b.load(address, 16, func(int) drive.Source { return drive.Constant(text) })
	}
	c, err := compare(ctx, b.rounds, against(bare), against(o.address()))
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}

// startGenerate serves with a configuration of the service, and a key for it.
func (b *bench) startGenerate(ctx context.Context, name, config string) (*ours, string, error) {
	options := program.Options{Binary: b.binary, Data: b.folder(name), Env: append(raisedLimits(), "STOA_LOG_LEVEL=error")}
	if config != "" {
		file := b.folder(name + ".yaml")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			return nil, "", err
		}
		options.Args = []string{"--config", file}
	}
	o, err := dial(ctx, options)
	if err != nil {
		return nil, "", err
	}
	// A folder that is used again has its user.
	_, _ = o.issue(ctx, "user add", "", map[string][]string{"name": {"bench"}, "password": {benchPassword}})
	key, err := o.issue(ctx, "key issue", "key", map[string][]string{
		"user": {"bench"}, "service": {"generate"}, "never": {"true"},
	})
	if err != nil {
		o.close()
		return nil, "", err
	}
	return o, key, nil
}
