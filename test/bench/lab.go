package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// labRows: how fast worlds are made and moved, and how little they keep.
func labRows() []row {
	return []row{
		{name: "lab: exec of a command, the demo kept", run: (*bench).labExec, atMost: 300, unit: "ms"},
		{name: "lab: create from demo, p50", run: (*bench).labCreate, atMost: 20, unit: "ms"},
		{name: "lab: fork of a world with 10,000 rows, p50", run: (*bench).labFork, atMost: 20, unit: "ms"},
		{name: "lab: fork of the same, written to before each, p50", run: (*bench).labForkChanged, atMost: 25, unit: "ms"},
		{name: "lab: reset, p50", run: (*bench).labReset, atMost: 15, unit: "ms"},
		{name: "lab: wake, p50", run: (*bench).labWake, atMost: 20, unit: "ms"},
		{name: "lab: advance over 1,000 due jobs", run: (*bench).labAdvance, perSec: 5000},
		{name: "lab: resident memory, 200 awake worlds", run: (*bench).labAwake, atMost: 600, unit: "MB"},
		{name: "lab: 1,000 worlds asleep, memory over none", run: (*bench).labAsleep, atMost: 100, unit: "MB"},
		{name: "lab: /w/NAME over the world's own port", run: (*bench).labPrefix, atLeast: 0.9},
	}
}

const benchLabToken = "bench"

// startLab serves a lab with its default world.
func (b *bench) startLab(ctx context.Context, folder string) (*ours, error) {
	p, err := program.Start(ctx, program.Options{
		Binary: b.binary, Command: "lab", Data: b.folder(folder),
		Args: []string{"--token", benchLabToken, "--max-worlds", "2000", "--idle", "10h"},
		Env:  append(raisedLimits(), "STOA_LOG_LEVEL=error"),
	})
	if err != nil {
		return nil, err
	}
	return &ours{Process: p, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: fillers}}}, nil
}

// end is close for a lab, which has no operator's connection.
func (o *ours) end() {
	o.client.CloseIdleConnections()
	o.Kill()
}

// labWorld is a world as the control API shows it.
type labWorld struct {
	Name, URL string
	Env       map[string]string
}

// control makes one call of the control API.
func (o *ours) control(ctx context.Context, method, path, body string) (w labWorld, err error) {
	text, err := o.send(ctx, method, "/lab/v1"+path, benchLabToken, body)
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &w)
	}
	return w, err
}

// timed repeats a call of the control API and keeps the median; each is prepared
// by before and tidied up by after, which are not measured.
func (b *bench) timed(before, do, after func() error) ([]result, error) {
	var took []float64
	for range max(15, 3*b.rounds) {
		if err := before(); err != nil {
			return nil, err
		}
		began := time.Now()
		if err := do(); err != nil {
			return nil, err
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
		if err := after(); err != nil {
			return nil, err
		}
	}
	slices.Sort(took)
	return []result{{value: took[len(took)/2], judged: true}}, nil
}

func nothing() error { return nil }

func (b *bench) labExec(ctx context.Context) ([]result, error) {
	cache := b.folder("exec-cache")
	run := func() error {
		c := exec.CommandContext(ctx, b.binary, "exec", "--", "true")
		c.Env = append(program.Environ(), "XDG_CACHE_HOME="+cache)
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("stoa exec: %w\n%s", err, out)
		}
		return nil
	}
	if err := run(); err != nil { // which makes the demo
		return nil, err
	}
	return b.timed(nothing, run, nothing)
}

func (b *bench) labCreate(ctx context.Context) ([]result, error) {
	return b.births(ctx, "lab-create", "/worlds", func(*ours, labWorld) (func() error, error) { return nothing, nil })
}

func (b *bench) labFork(ctx context.Context) ([]result, error) {
	return b.births(ctx, "lab-fork", "/worlds/first/fork", func(o *ours, w labWorld) (func() error, error) {
		_, err := o.fillWorld(ctx, w)
		return nothing, err
	})
}

// labForkChanged forks a world that was written to since the fork before.
func (b *bench) labForkChanged(ctx context.Context) ([]result, error) {
	return b.births(ctx, "lab-fork-changed", "/worlds/first/fork", func(o *ours, w labWorld) (func() error, error) {
		return o.fillWorld(ctx, w)
	})
}

// fillWorld gives the world 10,000 rows; the function it returns adds one more.
func (o *ours) fillWorld(ctx context.Context, w labWorld) (change func() error, err error) {
	world := &ours{Process: &program.Process{URL: w.URL}, client: o.client}
	token := w.Env["STOA_TOKEN"]
	list, err := firstList(ctx, world, token)
	if err != nil {
		return nil, err
	}
	err = world.fillList(ctx, list, token, 10_000)
	return func() error { return world.fillList(ctx, list, token, 1) }, err
}

// fillList inserts so many tasks, several at once.
func (o *ours) fillList(ctx context.Context, list, token string, rows int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fillers)
	for range rows {
		group.Go(func() error {
			_, err := o.send(ctx, "POST", "/tasks/v1/lists/"+url.PathEscape(list)+"/tasks", token, `{"title":"row"}`)
			return err
		})
	}
	return group.Wait()
}

// firstList is the id of the first task list.
func firstList(ctx context.Context, o *ours, token string) (string, error) {
	text, err := o.get(ctx, "/tasks/v1/users/@me/lists", token)
	if err != nil {
		return "", err
	}
	var lists struct{ Items []struct{ ID string } }
	if err := json.Unmarshal([]byte(text), &lists); err != nil {
		return "", err
	}
	if len(lists.Items) == 0 {
		return "", fmt.Errorf("the demo has no task list: %s", text)
	}
	return lists.Items[0].ID, nil
}

// births measures the making of worlds by one call of the control API, with a world
// called first that is filled before. What fill returns is done before each.
func (b *bench) births(
	ctx context.Context, folder, path string, fill func(*ours, labWorld) (func() error, error),
) ([]result, error) {
	o, err := b.startLab(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer o.end()
	first, err := o.control(ctx, "POST", "/worlds", `{"name":"first"}`)
	if err != nil {
		return nil, err
	}
	before, err := fill(o, first)
	if err != nil {
		return nil, err
	}
	var made labWorld
	return b.timed(before,
		func() (err error) { made, err = o.control(ctx, "POST", path, "{}"); return err },
		func() error { _, err := o.control(ctx, "DELETE", "/worlds/"+made.Name, ""); return err })
}

func (b *bench) labReset(ctx context.Context) ([]result, error) {
	return b.changes(ctx, "lab-reset", "", "/reset")
}

func (b *bench) labWake(ctx context.Context) ([]result, error) {
	return b.changes(ctx, "lab-wake", "/sleep", "/wake")
}

// changes measures one change of a world that another one goes before.
func (b *bench) changes(ctx context.Context, folder, before, change string) ([]result, error) {
	o, err := b.startLab(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer o.end()
	call := func(verb string) func() error {
		return func() error {
			if verb == "" {
				return nil
			}
			_, err := o.control(ctx, "POST", "/worlds/default"+verb, "{}")
			return err
		}
	}
	return b.timed(call(before), call(change), nothing)
}

// labAdvance moves a clock over a thousand jobs, one due every second, on the
// queue that worlds have.
func (b *bench) labAdvance(ctx context.Context) (_ []result, err error) {
	const due, kind = 1000, "bench.advance"
	start := time.Date(2031, time.January, 1, 0, 0, 0, 0, time.UTC)
	v := clock.NewVirtual(start)
	w, err := world.Open(ctx, world.Options{Dir: b.folder("lab-advance"), Clock: v, NoSync: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, w.Close) }()
	if err := w.DB.Migrate(ctx, world.Migrations()...); err != nil {
		return nil, err
	}
	type empty struct{}
	w.Jobs.Register(jobs.Define(jobs.Kind[empty]{
		Name: kind, Run: func(context.Context, jobs.Job, empty) error { return nil },
	}))
	var rates []float64
	for range b.rounds {
		begin := v.Now()
		err := w.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			for i := range due {
				at := begin.Add(time.Duration(i+1) * time.Second)
				if _, err := w.Jobs.Enqueue(ctx, tx, jobs.Enqueue{Kind: kind, Payload: empty{}, At: at}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := w.Jobs.AdvanceJobsTo(ctx, v, begin.Add((due+1)*time.Second)); err != nil {
			return nil, err
		}
		rates = append(rates, due/time.Since(began).Seconds())
	}
	slices.Sort(rates)
	return []result{{rate: rates[len(rates)/2], judged: true}}, nil
}

func joinClose(err error, closing func() error) error {
	if failed := closing(); err == nil {
		return failed
	}
	return err
}

func (b *bench) labAwake(ctx context.Context) ([]result, error) {
	return b.labMemory(ctx, "lab-awake", 200, "", false)
}

func (b *bench) labAsleep(ctx context.Context) ([]result, error) {
	return b.labMemory(ctx, "lab-asleep", 1000, "/sleep", true)
}

// labMemory makes worlds and looks at the resident size a little later, less what
// it was before where difference is set.
func (b *bench) labMemory(
	ctx context.Context, folder string, worlds int, then string, difference bool,
) ([]result, error) {
	o, err := b.startLab(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer o.end()
	before, err := drive.Resident(o.PID())
	if err != nil {
		return nil, err
	}
	for range worlds {
		w, err := o.control(ctx, "POST", "/worlds", "{}")
		if err == nil && then != "" {
			_, err = o.control(ctx, "POST", "/worlds/"+w.Name+then, "{}")
		}
		if err != nil {
			return nil, err
		}
	}
	time.Sleep(5 * time.Second)
	after, err := drive.Resident(o.PID())
	if difference {
		after -= before
	}
	return []result{{value: after, judged: true}}, err
}

// labPrefix compares a small answer by the two addresses of a world.
func (b *bench) labPrefix(ctx context.Context) ([]result, error) {
	o, err := b.startLab(ctx, "lab-prefix")
	if err != nil {
		return nil, err
	}
	defer o.end()
	w, err := o.control(ctx, "POST", "/worlds", `{"name":"first"}`)
	if err != nil {
		return nil, err
	}
	against := func(address, prefix string) drive.Load {
		text := drive.Request("GET", prefix+"/v2/limits/label?name=limits/label", address, w.Env["STOA_TOKEN"], "")
		return b.load(address, 16, func(int) drive.Source { return drive.Constant(text) })
	}
	own := against(strings.TrimPrefix(w.URL, "http://"), "")
	c, err := compare(ctx, b.rounds, own, against(o.address(), "/w/first"))
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}
