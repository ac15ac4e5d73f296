package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// journalRows: what the journal, rules that do not match and the report cost. They are
// measured in this process, on records like those of the events service.
func journalRows() []row {
	return []row{
		{name: "lab: journal on over off, GET label limits", run: (*bench).journalGet, atLeast: 0.9},
		{name: "lab: journal on over off, GET 30 tasks", run: (*bench).journalList, atLeast: 0.9},
		{name: "lab: journal on over off, POST task, 32 clients", run: (*bench).journalPost, atLeast: 0.9},
		{name: "lab: 100,000 records searched for text", run: (*bench).journalSearch, atMost: 50, unit: "ms"},
		{name: "lab: ten fault rules that do not match", run: (*bench).rulesUnmet, atMost: 1, unit: "µs"},
		{name: "lab: report over 100,000 requests", run: (*bench).journalReport, atMost: 2000, unit: "ms"},
	}
}

const benchRecords = 100_000

// keptRequests is a journal with as many requests as a world keeps.
func keptRequests() *journal.Journal {
	j := journal.New(journal.Options{MaxRecords: benchRecords, MaxBytes: 1 << 30})
	j.SetMode(journal.Full)
	at := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	header := map[string][]string{
		"User-Agent": {"client/1.0"}, "Accept": {"*/*"}, "Content-Type": {"application/json"}, "X-Poll-Interval": {"60"},
	}
	body := []byte(`{"title":"` + strings.Repeat("x", 200) + `"}`)
	for i := range benchRecords {
		at = at.Add(time.Second)
		path := fmt.Sprintf("/repos/ada/r%d/events", i%1000)
		d := j.Begin(context.Background())
		d.AddRequest(body)
		d.AddResponse(body)
		d.Finish(&journal.Entry{
			At: at, Service: "events", Operation: "list_repo_events", Method: http.MethodGet, Path: path, Target: path,
			Status: http.StatusOK, Caller: "personal user=ada", RequestHeader: header, ResponseHeader: header,
		})
	}
	return j
}

func (b *bench) journalGet(ctx context.Context) ([]result, error) {
	return b.journalCost(ctx, 16, "GET", "/v2/limits/label?name=limits/label", "")
}

func (b *bench) journalList(ctx context.Context) ([]result, error) {
	return b.journalCost(ctx, 16, "GET", "/tasks/v1/lists/@default/tasks?maxResults=30", "")
}

func (b *bench) journalPost(ctx context.Context) ([]result, error) {
	return b.journalCost(ctx, 32, "POST", "/tasks/v1/lists/@default/tasks", `{"title":"Sweep the steps"}`)
}

// journalCost compares two worlds of one lab in this process, of which one keeps no
// journal.
func (b *bench) journalCost(ctx context.Context, clients int, method, path, body string) (_ []result, err error) {
	config, err := app.LoadConfig("", raisedLimits())
	if err != nil {
		return nil, err
	}
	l, err := lab.Open(ctx, lab.Options{Dir: b.folder("lab-journal"), Config: config, Version: "bench"})
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, l.Close) }()
	var loads []drive.Load
	for _, mode := range []journal.Mode{journal.Off, journal.Full} {
		w, err := l.Create(ctx, lab.NewWorld{})
		if err != nil {
			return nil, err
		}
		w.Journal().SetMode(mode)
		env, err := w.Env()
		if err != nil {
			return nil, err
		}
		address := strings.TrimPrefix(w.URL(), "http://")
		if err := fillTasks(ctx, w.URL(), env["STOA_TOKEN"]); err != nil {
			return nil, err
		}
		text := drive.Request(method, path, address, env["STOA_TOKEN"], body)
		loads = append(loads, b.load(address, clients, func(int) drive.Source { return drive.Constant(text) }))
	}
	c, err := compare(ctx, b.rounds, loads[0], loads[1])
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}

// fillTasks gives the first list thirty tasks.
func fillTasks(ctx context.Context, url, token string) error {
	o := &ours{Process: &program.Process{URL: url}, client: http.DefaultClient}
	for i := range 30 {
		_, err := o.send(ctx, http.MethodPost, "/tasks/v1/lists/@default/tasks", token, fmt.Sprintf(`{"title":"Task %d"}`, i))
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) journalSearch(context.Context) ([]result, error) {
	j := keptRequests()
	defer j.Close()
	return b.timed(nothing, func() error {
		if found, _ := j.Find(&journal.Filter{Text: "not in any of them"}, 0, 100); len(found) > 0 {
			return errors.New("found what is not there")
		}
		return nil
	}, nothing)
}

func (b *bench) journalReport(context.Context) ([]result, error) {
	j := keptRequests()
	defer j.Close()
	return b.timed(nothing, func() error {
		if r := conduct.Run(app.ConductRules(), j.OldestFirst()); r.Requests != benchRecords {
			return fmt.Errorf("the report is over %d requests", r.Requests)
		}
		return nil
	}, nothing)
}

// rulesUnmet asks ten rules about requests that none of them matches.
func (b *bench) rulesUnmet(ctx context.Context) ([]result, error) {
	const asked = 100_000
	rules := faultrule.NewSet(1, time.Now, app.FaultCatalogue())
	for i := range 10 {
		_, err := rules.Add(faultrule.Rule{
			Match: faultrule.Match{Service: "tasks", Operation: "tasks.insert", Path: fmt.Sprintf("/tasks/*/%d/**", i)},
			Deed:  faultrule.Deed{Fault: "unavailable"},
		})
		if err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/tasks/v1/users/@me/lists", nil)
	if err != nil {
		return nil, err
	}
	asking := &route.Request{Request: r, Route: &route.Route{Name: "tasks.list"}}
	var took []float64
	for range max(15, 3*b.rounds) {
		began := time.Now()
		for range asked {
			if rules.FindFault("tasks", asking) != nil {
				return nil, errors.New("a rule matched")
			}
		}
		took = append(took, float64(time.Since(began).Nanoseconds())/asked/1000)
	}
	slices.Sort(took)
	return []result{{value: took[len(took)/2], judged: true}}, nil
}
