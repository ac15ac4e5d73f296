package stoatest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/kit/go/stoatest"
)

// t stands for the *testing.T of a test.
var t = &exampleTest{}

type exampleTest struct{ testing.TB }

func (*exampleTest) Helper()                        {}
func (*exampleTest) Context() context.Context       { return context.Background() }
func (*exampleTest) Cleanup(func())                 {} // the lab ends with the process
func (*exampleTest) Error(args ...any)              { fmt.Println(args...) }
func (*exampleTest) Errorf(format string, a ...any) { fmt.Printf(format+"\n", a...) }
func (*exampleTest) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

// poll is a client as a test has it: it reads a feed until that was answered.
func poll(s stoatest.Settings) {
	for range 5 {
		r, _ := http.NewRequest("GET", s.URL+"repos/lyceum/colonnade/events", nil)
		r.Header.Set("User-Agent", "poller")
		answer, err := s.HTTPClient().Do(r)
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		fmt.Println(answer.StatusCode)
		if answer.StatusCode == http.StatusOK {
			return
		}
	}
}

func Example() {
	world := stoatest.World(t) // born from the demo, gone after the test
	world.Clock.Freeze("2031-03-01T09:00:00Z")
	world.Faults.Add(stoatest.Fault{Operation: "list_repo_events", Deed: "secondary_rate_limit", First: 1})

	poll(world.GitHub()) // the code under test, an unmodified client
	world.Clock.Advance(time.Hour)
	poll(world.GitHub())

	world.Expect(stoatest.Calls("list_repo_events").Exactly(3))
	for _, finding := range world.Conduct().Findings {
		fmt.Println(finding.Rule)
	}
	// Output:
	// 403
	// 200
	// 200
	// retry-after
	// events.etag
}

func ExampleAt() {
	world := stoatest.World(t, stoatest.At("2026-03-01T09:00:00Z"), stoatest.Seed(7))
	fmt.Println(world.Clock.Now(), world.Seed)
	// Output: 2026-03-01 09:00:00 +0000 UTC 7
}

func ExampleSeedText() {
	world := stoatest.World(t, stoatest.From("empty"), stoatest.SeedText(`
users:
- {name: mary, password: correct horse battery, tokens: [{variable: MARY_TOKEN}]}
taskLists:
- {user: mary, title: Opening}
`))
	tasks := world.Tasks().WithToken(world.Env["MARY_TOKEN"])
	answer, err := tasks.HTTPClient().Get(tasks.URL + "/tasks/v1/users/@me/lists")
	if err != nil {
		panic(err)
	}
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, strings.Contains(string(text), "Opening"))
	// Output: 200 true
}

func ExampleClock_Advance() {
	world := stoatest.World(t, stoatest.At("2026-03-01T09:00:00Z"))
	moved := world.Clock.Advance(7 * 24 * time.Hour)
	fmt.Println(moved.To)
	// Output: 2026-03-08 09:00:00 +0000 UTC
}

func ExampleTestWorld_Inbox() {
	world := stoatest.World(t)
	inbox := world.Inbox("hooks", stoatest.Answer{Status: 503, Times: 1})
	for range 2 { // a service of the world would send this
		http.Post(inbox.URL, "text/plain", strings.NewReader("changed"))
	}
	for _, message := range inbox.Wait(2, 10*time.Second) {
		fmt.Println(message.Text(), message.Answered)
	}
	// Output:
	// changed 503
	// changed 200
}

func ExampleTestWorld_Expect() {
	world := stoatest.World(t)
	tasks := world.Tasks()
	tasks.HTTPClient().Get(tasks.URL + "/tasks/v1/users/@me/lists")
	world.Expect(stoatest.Calls("tasklists.list").Exactly(1))
	world.Expect(stoatest.Selection{Service: "tasks", Status: "4xx"}.Exactly(0))
	// Output:
}
