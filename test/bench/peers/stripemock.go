package main

import (
	"context"
	"net/http"
)

func stripeMock() peer {
	return peer{
		name: "stripe-mock", pin: pins()["stripe-mock"],
		durable: "nothing: it stores nothing",
		differs: []string{
			"It answers from a description with fixed examples: whatever id is asked for exists, and what " +
				"is written is forgotten. Any key of the right form is let in. Stoa looks the token and the " +
				"task up and counts the call.",
			"Only reading one object is comparable: it has no state to write to or to list.",
		},
		servers: func(ctx context.Context, r *run, p pin) (theirs, ours server, err error) {
			binary, err := r.goProgram(ctx, p)
			theirs, ours = r.beside(func(_, address string) []string {
				return []string{binary, "-http-addr", address}
			}, "/")
			return theirs, ours, err
		},
		asks: func(ctx context.Context, r *run, theirs, ours *child) ([]ask, error) {
			token, err := ours.token(ctx, "tasks")
			if err != nil {
				return nil, err
			}
			task, err := ours.created(ctx, stoaTasks, token, oneTask)
			if err != nil {
				return nil, err
			}
			return []ask{{
				what: "read one", clients: readers, theirs: "GET customer", ours: "GET task",
				askTheirs: r.request(theirs, readers, http.MethodGet, "/v1/customers/cus_1", "sk_test_1", ""),
				askOurs:   r.request(ours, readers, http.MethodGet, stoaTasks+"/"+task, token, ""),
			}}, nil
		},
	}
}
