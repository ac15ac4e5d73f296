package main

import (
	"context"
	"fmt"
	"net/http"

	"stoa.dev/stoa/test/bench/drive"
)

// tasksRows: C's durable insert, one task, and a list of thirty against the same
// list encoded bare.
func tasksRows() []row {
	return []row{
		{name: "C: POST task, durable", run: (*bench).tasksInsert, perSec: 5000},
		{name: "C: GET task with token, 16 clients", run: (*bench).tasksGet, atLeast: 0.45},
		{name: "C: GET 30 tasks, 16 clients, against a bare list", run: (*bench).tasksList, atLeast: 0.6},
	}
}

func (b *bench) tasksInsert(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "tasks-insert", "tasks")
	if err != nil {
		return nil, err
	}
	defer o.close()
	text := drive.Request("POST", "/tasks/v1/lists/@default/tasks", o.address(), token, `{"title":"Sweep the steps"}`)
	var results []result
	for _, clients := range writers() {
		s, err := repeat(ctx, b.rounds, b.load(o.address(), clients, func(int) drive.Source { return drive.Constant(text) }))
		if err != nil {
			return nil, err
		}
		line := rateResult(clientsLabel(clients), s)
		line.judged = clients == 32
		results = append(results, line)
	}
	return results, nil
}

func (b *bench) tasksGet(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "tasks-get", "tasks")
	if err != nil {
		return nil, err
	}
	defer o.close()
	const tasks = "/tasks/v1/lists/@default/tasks"
	id, err := o.createdID(ctx, tasks, token, `{"title":"Sweep the steps"}`)
	if err != nil {
		return nil, err
	}
	return b.gets(ctx, o, bareWord, tasks+"/"+id, token)
}

func (b *bench) tasksList(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "tasks-list", "tasks")
	if err != nil {
		return nil, err
	}
	defer o.close()
	for i := range 30 {
		if _, err := o.send(ctx, http.MethodPost, "/tasks/v1/lists/@default/tasks", token, fmt.Sprintf(`{"title":"Task %d"}`, i)); err != nil {
			return nil, err
		}
	}
	const path = "/tasks/v1/lists/@default/tasks?maxResults=30"
	return b.gets(ctx, o, bareListWord, path, token)
}
