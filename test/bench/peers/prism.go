package main

import (
	"context"
	"net/http"
	"path/filepath"

	"stoa.dev/stoa/test/program"
)

func prism() peer {
	return peer{
		name: "Prism", pin: pins()["prism"],
		durable: "nothing: it stores nothing",
		differs: []string{
			"It mocks any API from a description; here it is given Stoa's own of the tasks service, so both get " +
				"the same requests. It checks them against the description and answers with made-up values of the " +
				"right types: what is created is not there afterwards, so lists are not compared.",
			"Stoa answers only the thirteen APIs that it implements.",
		},
		servers: func(ctx context.Context, r *run, p pin) (theirs, ours server, err error) {
			root, err := program.Root()
			if err != nil {
				return theirs, ours, err
			}
			script, err := r.nodeScript(ctx, p, "dist/index.js")
			theirs, ours = r.beside(func(_, address string) []string {
				host, port := splitAddress(address)
				return append(script, "mock", "--host", host, "--port", port, "--verboseLevel", "silent",
					filepath.Join(root, "docs", "openapi", "tasks.json"))
			}, stoaTasks)
			return theirs, ours, err
		},
		asks: prismAsks,
	}
}

func prismAsks(ctx context.Context, r *run, theirs, ours *child) ([]ask, error) {
	token, err := ours.token(ctx, "tasks")
	if err != nil {
		return nil, err
	}
	task, err := ours.created(ctx, stoaTasks, token, oneTask)
	if err != nil {
		return nil, err
	}
	both := func(what string, clients int, method, path, body, text string) ask {
		return ask{
			what: what, clients: clients, theirs: text, ours: text,
			askTheirs: r.request(theirs, clients, method, path, token, body),
			askOurs:   r.request(ours, clients, method, path, token, body),
		}
	}
	return []ask{
		both("read one", readers, http.MethodGet, stoaTasks+"/"+task, "", "GET task"),
		both("create", writers, http.MethodPost, stoaTasks, oneTask, "POST task"),
	}, nil
}
