package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refusals are mistakes at every command of a lab: a world and every flag that do not read.
func refusals(root *cobra.Command) (lines [][]string) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "world", "clock", "fault", "requests", "expect", "inbox", "conduct":
		default:
			continue
		}
		for _, line := range everyCommand(c) {
			lines = append(lines, line)
			command, _, err := root.Find(line)
			if err != nil {
				continue
			}
			command.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
				if f.Name != "help" && f.Name != "follow" && f.Value.Type() != "bool" {
					lines = append(lines, append(append([]string{}, line...), "--"+f.Name+"={x"))
				}
			})
		}
	}
	return lines
}

// TestLabRefusalsSpeakOfCommands: what a lab refuses is said in flags and commands, not
// in calls of its API, nor in words of a parser.
func TestLabRefusalsSpeakOfCommands(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	ctx, cancel := context.WithCancel(ctx)
	said, stdout := io.Pipe()
	ended := make(chan int, 1)
	lab := &Program{
		Args: []string{"lab", "--listen", "127.0.0.1:0", "--data", dir}, Stdin: strings.NewReader(""), Stdout: stdout,
		Stderr: io.Discard,
	}
	go func() { ended <- lab.Main(ctx); stdout.Close() }()
	screen := ""
	for lines := bufio.NewScanner(said); lines.Scan() && !strings.HasPrefix(lines.Text(), "ready "); {
		screen += lines.Text() + "\n"
	}
	for _, want := range []string{"/console  (sign in as ", " with password ", "lab http://", " token "} {
		if !strings.Contains(screen, want) {
			t.Errorf("the lab does not print %q:\n%s", want, screen)
		}
	}
	lines := refusals((&Program{}).root())
	if len(lines) < 60 {
		t.Errorf("only %d refusals", len(lines))
	}
	// More that the trial of a new user met, on a world that is there.
	for _, line := range []string{
		"clock advance default", "clock advance default --by x", "clock set default yesterday", "clock run default --rate x",
		"fault add default --deed {status:503}", "fault add default --deed x --nth x", "fault add default --deed nosuch",
		"fault add default --service taks --deed x", "fault add default --operation x.y --deed x",
		"fault add default --deed {\"status\":1}", "fault catalog --service taks", "requests list default --service taks",
		"requests list default --status x", "inbox answer default x --status 7", "inbox messages default x --at-least 1",
		"world create --from snapshot:x", "world create --name first --clock yesterday", "conduct default --format x",
		"expect default --service task", "requests show default x", "requests replay default 99",
		"world create --config-json {\"labels\":{\"max_fields\":-1}}",
	} {
		lines = append(lines, strings.Fields(line))
	}
	try := func(data string) {
		for _, line := range lines {
			var out bytes.Buffer
			p := &Program{
				Args: append(append([]string{}, line...), "--data", data), Stdin: strings.NewReader(""),
				Stdout: &out, Stderr: &out,
			}
			if p.Main(t.Context()) == 0 {
				continue
			}
			for _, leak := range []string{
				"GET /", "GET …", "GET the",
				"its log has", "PATCH", "send {", "send ?", "json:", "strconv", "parsing time", "dial tcp",
				"lab.env: ", "at byte", "docs/lab.md", "docs/openapi", "docs/faults.md", "match.", "when.", "deed.",
			} {
				if strings.Contains(out.String(), leak) {
					t.Errorf("stoa %s says %q:\n%s", strings.Join(line, " "), leak, out.String())
				}
			}
		}
	}
	try(dir)
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("the lab ended with %d", code)
	}
	try(dir)         // it has ended
	try(t.TempDir()) // there was none
}

// TestLabCommandsTakeWhatTheyRead: a file of settings or a database that a command of a lab would not look at is
// refused, not passed over.
func TestLabCommandsTakeWhatTheyRead(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, line := range everyCommand((&Program{}).root()) {
		switch line[0] {
		case "world", "clock", "fault", "requests", "expect", "inbox", "conduct", "cert":
		default:
			continue
		}
		if line[0] == "requests" && line[1] == "tail" {
			continue // also of a server, which has both
		}
		lines++
		for _, flag := range []string{"--config", "--database"} {
			var out bytes.Buffer
			p := &Program{
				Args: append(append([]string{}, line...), flag, "x", "--data", t.TempDir()), Stdin: strings.NewReader(""),
				Stdout: &out, Stderr: &out,
			}
			code := p.Main(t.Context())
			if code != 2 || !strings.Contains(out.String(), flag+" is not for stoa "+line[0]) {
				t.Errorf("stoa %s %s x: exit %d\n%s", strings.Join(line, " "), flag, code, out.String())
			}
		}
	}
	if lines < 30 {
		t.Errorf("only %d commands were tried", lines)
	}
}
