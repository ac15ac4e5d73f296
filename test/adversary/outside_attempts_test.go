//go:build strace

package adversary_test

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/adversary"
	"stoa.dev/stoa/test/program"
)

// An address and a name of documentation: nothing answers there.
const (
	outside     = "198.51.100.7"
	outsideName = "outside.example"
)

// TestNoAttemptOutside counts what a server tries to reach, by the calls of the operating
// system that connect and send, of it and of all that it starts. With --offline, and in a lab
// with its usual settings, no address but loopback is tried and no name server asked, while
// every operation is called, a month passes, and callers name addresses outside.
func TestNoAttemptOutside(t *testing.T) {
	tracer := program.Need(t, "strace")
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []struct {
		name    string
		options program.Options
		file    string // of the environment of the demonstration world
		then    []string
	}{
		{"offline", program.Options{Args: []string{"--demo", "--offline"}}, "demo.env", nil},
		{"lab", program.Options{Command: "lab"}, "lab.env", []string{"clock", "advance", "default", "--by", "30d"}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			dir := t.TempDir()
			trace, o := filepath.Join(dir, "trace"), kind.options
			o.Binary, o.Data = filepath.Join(dir, "stoa"), filepath.Join(dir, "data")
			traced(t, tracer, o.Binary, trace, binary)
			if o.Command == "" {
				config := filepath.Join(dir, "stoa.yaml")
				if err := os.WriteFile(config, withoutRates(t, binary), 0o600); err != nil {
					t.Fatal(err)
				}
				o.Args = append(o.Args, "--config", config)
			}
			p, err := program.Start(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Kill)
			target := adversary.Target{URL: p.URL, Env: worldEnv(t, binary, o.Data, kind.file)}
			calls, statuses := everyOperation(t), map[int]int{}
			if kind.name == "offline" {
				calls = append(calls, namingOutside(calls)...)
			}
			target.Drive(t.Context(), calls, 4, func(o adversary.Outcome) { statuses[o.Status/100]++ })
			if kind.then != nil {
				if out, err := exec.Command(binary, append(kind.then, "--data", o.Data)...).CombinedOutput(); err != nil {
					t.Errorf("%v: %v\n%s", kind.then, err, out)
				}
			}
			time.Sleep(2 * time.Second) // what a call begins goes on in the background
			p.Kill()
			tried := attempts(t, trace)
			for _, a := range tried {
				t.Errorf("tried: %s", a)
			}
			t.Logf("%d calls of %d operations and %d attempts to reach an address outside or a name server; answers by the "+
				"first digit of the status: %v", len(calls), operationsOf(calls), len(tried), statuses)
			if statuses[2] < 100 {
				t.Errorf("%d calls succeeded, want at least 100: the server was hardly used", statuses[2])
			}
		})
	}
}

// TestAttemptsAreCounted: what does try is found.
func TestAttemptsAreCounted(t *testing.T) {
	tracer, shell := program.Need(t, "strace"), program.Need(t, "bash")
	script, trace := filepath.Join(t.TempDir(), "traced"), filepath.Join(t.TempDir(), "trace")
	traced(t, tracer, script, trace, shell)
	if out, err := exec.Command(script, "-c", "exec 3<>/dev/udp/"+outside+"/9; exec 4<>/dev/udp/127.0.0.1/53; "+
		"exec 5<>/dev/udp/127.0.0.1/9").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	time.Sleep(time.Second) // the tracer is not the child that ended
	if got := attempts(t, trace); len(got) != 2 {
		t.Errorf("counted %q, want one to %s and one to a name server", got, outside)
	}
}

// traced writes a script that runs a program and notes what it connects and sends to. -D
// keeps the program the child of this process.
func traced(t *testing.T, tracer, script, trace, program string) {
	t.Helper()
	text := fmt.Sprintf("#!/bin/sh\nexec %s -D -f -qq --seccomp-bpf -o %s -e trace=connect,sendto,sendmsg,sendmmsg "+
		"%s \"$@\"\n", tracer, trace, program)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

var (
	socketAddress = regexp.MustCompile(`sa_family=AF_INET6?, [^}]*\}`)
	socketNumber  = regexp.MustCompile(`inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"`)
)

// attempts are the addresses besides loopback, and those of name servers.
func attempts(t *testing.T, trace string) (tried []string) {
	t.Helper()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range socketAddress.FindAllString(string(text), -1) {
		number := socketNumber.FindStringSubmatch(address)
		if number == nil {
			t.Fatalf("no address in %q", address)
		}
		ip, err := netip.ParseAddr(number[1] + number[2])
		if err != nil {
			t.Fatal(err)
		}
		if !ip.Unmap().IsLoopback() || strings.Contains(address, "htons(53)") {
			tried = append(tried, address)
		}
	}
	return tried
}

// worldEnv is what the demonstration world gives to its clients.
func worldEnv(t *testing.T, binary, data, file string) map[string]string {
	t.Helper()
	if file == "demo.env" {
		env, err := program.DemoEnv(data)
		if err != nil {
			t.Fatal(err)
		}
		return env
	}
	env, err := program.DemoEnv(filepath.Join(data, "worlds", "default", "data"))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// everyOperation calls each once, with an empty object where it takes a body.
func everyOperation(t *testing.T) (calls []adversary.Attack) {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	operations, err := adversary.Operations(app.Tables(), filepath.Join(root, "docs", "openapi"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range operations {
		a := adversary.Attack{Operation: o, Kind: "once"}
		if o.TakesBody() {
			a.Media, a.Make = "application/json", func() []byte { return []byte("{}") }
		}
		calls = append(calls, a)
	}
	return calls
}

func operationsOf(calls []adversary.Attack) int {
	names := map[string]bool{}
	for _, c := range calls {
		names[c.Operation.String()] = true
	}
	return len(names)
}

// namingOutside makes calls whose effect is a message to an address outside, or a look there:
// each has its own members, as one that is unknown is refused.
func namingOutside(calls []adversary.Attack) (out []adversary.Attack) {
	const address = "https://" + outsideName + "/a"
	bodies := map[string]string{
		"/watch": `{"id":"KEY","type":"web_hook","address":"` + address + `"}`,
		"/hooks": `{"name":"web","config":{"url":"` + address + `","content_type":"json"},"events":["*"]}`,
		":generateContent": `{"contents":[{"parts":[{"fileData":{"fileUri":"` + address +
			`.png","mimeType":"image/png"}}]}]}`,
	}
	for _, a := range calls {
		for suffix, body := range bodies {
			if a.Operation.Method != "POST" || !strings.HasSuffix(a.Operation.Pattern, suffix) {
				continue
			}
			a.Kind, a.Media = "address outside", "application/json"
			text := strings.ReplaceAll(body, "KEY", fmt.Sprint("channel-", len(out)))
			a.Make = func() []byte { return []byte(text) }
			out = append(out, a)
		}
	}
	return append(out, calls...) // what changes then is told to them
}
