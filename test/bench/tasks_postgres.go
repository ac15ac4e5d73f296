package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/test/bench/drive"
)

// postgresClients write at once, ours and pgbench's.
const postgresClients = 32

func postgresRows() []row {
	return []row{{
		name: "C: POST task on PostgreSQL, durable, against an insert by pgbench", run: (*bench).tasksInsertPostgres,
	}}
}

// tasksInsertPostgres inserts tasks through the API and rows of the same size with
// PostgreSQL's own generator into the same server, in turn.
func (b *bench) tasksInsertPostgres(ctx context.Context) (results []result, err error) {
	server, err := databasetest.NewServer(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Remove()) }()
	ourURL, err := server.NewURL(ctx)
	if err != nil {
		return nil, err
	}
	bareURL, err := server.NewURL(ctx)
	if err != nil {
		return nil, err
	}
	o, token, err := b.startFor(ctx, "tasks-postgres", "tasks",
		"STOA_DATABASE_URL="+ourURL, "STOA_DATABASE_CONNECTIONS=32")
	if err != nil {
		return nil, err
	}
	defer o.close()
	tokens := []string{token}
	for n := range postgresClients - 1 {
		more, err := o.another(ctx, "tasks", fmt.Sprintf("bench-%d", n))
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, more)
	}
	insert := pgbench{url: bareURL, script: filepath.Join(b.dir, "insert.sql"), length: b.length}
	for _, users := range []int{postgresClients, 1} {
		post := b.load(o.address(), postgresClients, func(n int) drive.Source {
			return drive.Constant(drive.Request("POST", "/tasks/v1/lists/@default/tasks", o.address(), tokens[n%users],
				`{"title":"Sweep the steps"}`))
		})
		c, err := compare(ctx, b.rounds, insert, post)
		if err != nil {
			return nil, err
		}
		line := ratioResult(c)
		line.label = clientsLabel(postgresClients)
		if users == 1 {
			// The writes of one user come one after the other.
			line.label += " of one user"
		}
		results = append(results, line)
	}
	return results, nil
}

// pgbenchTable and pgbenchInsert are a table and a row like those of a task.
const (
	pgbenchTable = `CREATE TABLE IF NOT EXISTS bare (id TEXT PRIMARY KEY, list_id TEXT NOT NULL, title TEXT NOT NULL,
		rank TEXT NOT NULL, updated TEXT NOT NULL)`
	pgbenchInsert = `\set n random(1, 1000000000)
INSERT INTO bare VALUES (md5(random()::text || :n), 'list', 'Sweep the steps', :n, now()::text);
`
)

// pgbench is a load by PostgreSQL's own generator.
type pgbench struct {
	url, script string
	length      time.Duration
}

// Run inserts for one round.
func (p pgbench) Run(ctx context.Context) (s drive.Sample, err error) {
	if err := os.WriteFile(p.script, []byte(pgbenchInsert), 0o644); err != nil {
		return s, err
	}
	if out, err := exec.CommandContext(ctx, "psql", "-q", "-c", pgbenchTable, p.url).CombinedOutput(); err != nil {
		return s, fmt.Errorf("psql: %w: %s", err, out)
	}
	seconds := strconv.Itoa(max(1, int(p.length.Seconds())))
	out, err := exec.CommandContext(ctx, "pgbench", "-n", "-M", "prepared", "-c", strconv.Itoa(postgresClients), "-j", "2",
		"-T", seconds, "-f", p.script, p.url).CombinedOutput()
	if err != nil {
		return s, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	found := regexp.MustCompile(`(?m)^tps = ([0-9.]+)`).FindSubmatch(out)
	if found == nil {
		return s, fmt.Errorf("pgbench printed no rate: %s", out)
	}
	s.Rate, err = strconv.ParseFloat(string(found[1]), 64)
	return s, err
}
