package stories_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stoa.dev/stoa/test/program"
)

// stage is what one story has running.
type stage struct {
	binary, data string
	server       *program.Process
	held         net.Conn // a connection whose last byte is held back
	answers      *bufio.Reader
	last         []byte
}

type stageKey struct{}

func on(ts *testscript.TestScript) *stage { return ts.Value(stageKey{}).(*stage) }

// endsWithin is what a server may take to finish what is in flight.
const endsWithin = 15 * time.Second

// running returns the server or ends the story.
func running(ts *testscript.TestScript) *program.Process {
	s := on(ts)
	if s.server == nil {
		ts.Fatalf("no server is running: start one first")
	}
	return s.server
}

func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	s := on(ts)
	o := program.Options{Binary: s.binary, Data: s.data, Dir: ts.MkAbs(".")}
	for len(args) > 1 && args[0] == "-e" {
		o.Env, args = append(o.Env, args[1]), args[2:]
	}
	o.Args = args
	p, err := program.Start(context.Background(), o)
	if neg {
		if err == nil {
			p.Kill()
			ts.Fatalf("the server started, want a refusal")
		}
		fmt.Fprintln(ts.Stdout(), err)
		return
	}
	ts.Check(err)
	s.server = p
	ts.Defer(func() {
		if s.server == p {
			p.Kill()
		}
	})
	ts.Setenv("URL", p.URL)
	ts.Setenv("PID", strconv.Itoa(p.PID()))
	fmt.Fprint(ts.Stdout(), p.Output())
}

func cmdStop(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(running(ts).Signal(syscall.SIGTERM))
	cmdEnded(ts, false, nil)
}

func cmdEnded(ts *testscript.TestScript, _ bool, _ []string) {
	p := running(ts)
	ctx, cancel := context.WithTimeout(context.Background(), endsWithin)
	defer cancel()
	ts.Check(p.Wait(ctx))
	on(ts).server = nil
	fmt.Fprint(ts.Stdout(), p.Output())
}

func cmdKill(ts *testscript.TestScript, _ bool, _ []string) {
	running(ts).Kill()
	on(ts).server = nil
}

func cmdOutput(ts *testscript.TestScript, _ bool, _ []string) {
	fmt.Fprint(ts.Stdout(), running(ts).Output())
}

func cmdSignal(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT}
	if len(args) != 1 || signals[args[0]] == nil {
		ts.Fatalf("usage: signal TERM|INT")
	}
	ts.Check(running(ts).Signal(signals[args[0]]))
}

func cmdSource(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: source FOLDER")
	}
	env, err := program.DemoEnv(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(env) == 0 {
		ts.Check(errors.New("demo.env is empty"))
	}
	for name, value := range env {
		ts.Setenv(name, value)
	}
}
