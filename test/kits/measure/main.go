// Command measure takes the numbers of docs/kits.md: what a first test costs in each
// language, and what a hundred at once need. With -write it replaces them there.
//
//	go run ./test/kits/measure -write docs/kits.md
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

func main() {
	write := flag.String("write", "", "replace the numbers in this `file`")
	binary := flag.String("binary", "", "measure this `program` instead of one that is built")
	flag.Parse()
	if err := run(context.Background(), *binary, *write); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, write string) (err error) {
	root, err := program.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "measure")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if binary == "" {
		binary = filepath.Join(dir, "stoa")
		if _, err := command(ctx, root, "go", "build", "-trimpath", "-o", binary, "./cmd/stoa"); err != nil {
			return err
		}
	}
	if err := os.Setenv("STOA_BIN", binary); err != nil {
		return err
	}
	table, err := measure(ctx, root, dir, binary)
	if err != nil {
		return err
	}
	fmt.Print(table)
	if write == "" {
		return nil
	}
	return replace(write, table)
}

func measure(ctx context.Context, root, dir, binary string) (string, error) {
	var out strings.Builder
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	fmt.Fprintf(&out, "Taken on %s/%s with %d processors; the load of the machine was %s when it began.\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), bytes.Fields(load)[0])
	out.WriteString("| a first test | whole | lab started and world made | world deleted |\n|---|---|---|---|\n")
	for _, l := range languages() {
		row, err := l.first(ctx, root, dir)
		if err != nil {
			return "", fmt.Errorf("%s: %w", l.name, err)
		}
		out.WriteString(row)
	}
	row, err := hundred(ctx, root, dir, binary)
	return out.String() + row, err
}

// language is how a project of its users is made and its tests are run.
type language struct {
	name string
	// file holds the test; timed is put into it to take the times.
	file, text string
	prepare    func(ctx context.Context, root, project string) error
	test       []string
}

// took is what the timed tests print.
var took = regexp.MustCompile(`made (\d+) deleted (\d+)`)

// runs is how often each is measured; the middle one counts.
const runs = 5

func (l language) first(ctx context.Context, root, dir string) (string, error) {
	project := filepath.Join(dir, l.name)
	if err := os.MkdirAll(project, 0o755); err != nil {
		return "", err
	}
	if err := l.prepare(ctx, root, project); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(project, l.file), []byte(l.text), 0o600); err != nil {
		return "", err
	}
	var whole, made, deleted []time.Duration
	for n := range runs + 1 { // the first one warms the caches of compiler and lab
		began := time.Now()
		text, err := command(ctx, project, l.test[0], l.test[1:]...)
		took := took.FindStringSubmatch(text)
		if err != nil || took == nil {
			return "", fmt.Errorf("%w\n%s", errors.Join(err, errors.New("the test did not print its times")), text)
		}
		if n > 0 {
			whole = append(whole, time.Since(began))
			made, deleted = append(made, milliseconds(took[1])), append(deleted, milliseconds(took[2]))
		}
	}
	return fmt.Sprintf("| %s | %.2f s | %d ms | %d ms |\n", l.name, middle(whole).Seconds(), middle(made).Milliseconds(),
		middle(deleted).Milliseconds()), nil
}

// hundred compares tests that run at once with as many runs of stoa exec.
func hundred(ctx context.Context, root, dir, binary string) (string, error) {
	project := filepath.Join(dir, "hundred")
	text, err := os.ReadFile(filepath.Join(root, "test/kits/measure/testdata/hundred.txt"))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(project, 0o755); err != nil {
		return "", err
	}
	if err := prepareGo(ctx, root, project); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(project, "hundred_test.go"), text, 0o600); err != nil {
		return "", err
	}
	if _, err := command(ctx, project, "go", "test", "-c", "-o", "hundred", "."); err != nil {
		return "", err
	}
	var together, alone []time.Duration
	kilobytes := 0
	for range runs { // in turn: a machine is not equally fast all the time
		began := time.Now()
		memory, err := allAtOnce(ctx, project)
		if err != nil {
			return "", err
		}
		together, kilobytes = append(together, time.Since(began)), max(kilobytes, memory)
		began = time.Now()
		for range execs {
			if _, err := command(ctx, project, binary, "exec", "--", "true"); err != nil {
				return "", err
			}
		}
		alone = append(alone, time.Since(began)*100/execs)
	}
	once, each := middle(together).Seconds(), middle(alone).Seconds()
	return fmt.Sprintf("\nA hundred tests at once, each with a world of its own and one request, take %.1f s with the "+
		"start of the lab, which then uses\n%d MB at most. A hundred times `stoa exec -- true` takes %.0f s "+
		"(measured: %d times): %.1f times as long.\n",
		once, kilobytes/1024, each, runs*execs, each/once), nil
}

// execs is how often exec is measured in each run.
const execs = 10

// allAtOnce runs the hundred tests and says how many kilobytes the lab had at most.
func allAtOnce(ctx context.Context, project string) (int, error) {
	said, err := command(ctx, project, "./hundred", "-test.v", "-test.parallel=100")
	if err != nil {
		return 0, err
	}
	memory := regexp.MustCompile(`lab (\d+) kB`).FindStringSubmatch(said)
	if memory == nil {
		return 0, fmt.Errorf("the tests did not print the memory of the lab:\n%s", said)
	}
	return strconv.Atoi(memory[1])
}

func milliseconds(text string) time.Duration {
	d, err := time.ParseDuration(text + "ms")
	if err != nil {
		return 0 // the pattern takes digits only
	}
	return d
}

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod -buildvcs=false", "GOPROXY=off", "GOWORK=off",
		"STOA_LAB_URL=")
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %v: %w\n%s", name, args, err, out)
	}
	return string(out), err
}

// replace puts the table between the marks of a page.
func replace(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	const begin, end = "<!-- numbers: make kits-bench -->\n", "<!-- end of numbers -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, also := strings.Cut(rest, end)
	if !ok || !also {
		return fmt.Errorf("%s has no marks for the numbers", file)
	}
	return os.WriteFile(file, []byte(head+begin+table+end+tail), 0o600)
}
