package stories_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// awaitTime bounds how long a story waits for something that takes its time,
// such as a compiler with an empty cache.
const awaitTime = 4 * time.Minute

// cmdAwait sends a request again and again until the answer matches.
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: await PATTERN [-H …] METHOD URL")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	c, err := parseCall(args[1:])
	ts.Check(err)
	var out bytes.Buffer
	for until := time.Now().Add(awaitTime); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		out.Reset()
		ts.Check(c.do(&out, nil))
		if pattern.Match(out.Bytes()) {
			fmt.Fprint(ts.Stdout(), out.String())
			return
		}
	}
	ts.Fatalf("await %s: the last answer was\n%s", args[0], out.String())
}

// toolchain is where the Go that runs the tests lives, for stories that build
// with it.
func toolchain() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out)), err
}
