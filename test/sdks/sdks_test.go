package main

import (
	"strings"
	"testing"
)

func sample() evidence {
	return evidence{
		folder:  "tasks",
		clients: []client{{"go", "example.org/api", "v1.2.3"}, {"npm", "@example/tasks", "13.0.0"}},
		driven: []driven{
			{"go", "tasks", "tasks.list", "2xx"},
			{"go", "tasks", "tasks.list", "4xx"},
			{"npm", "tasks", "tasks.list", "2xx"},
			{"go", "tasks", "tasks.get", "2xx"},
		},
		passed: []string{"Client: lists"}, skipped: []string{"Later"},
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	text := page([]evidence{sample()}, []string{"tasks", "labels"})
	for _, want := range []string{
		"- `@example/tasks` 13.0.0 (npm)", "| tasks | `tasks.get` | 2xx |  |", "| tasks | `tasks.list` | 2xx, 4xx | 2xx |",
		"- Client: lists", "- not run here: Later", "No client drives labels here",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

func TestDrop(t *testing.T) {
	t.Parallel()
	before, less := page([]evidence{sample()}, nil), sample()
	if lost := dropped(before, before); len(lost) != 0 {
		t.Errorf("the same page lost %v", lost)
	}
	less.driven = less.driven[:2]
	if lost := dropped(before, page([]evidence{less}, nil)); len(lost) != 2 {
		t.Errorf("lost %v, want tasks.get by Go and tasks.list by npm", lost)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	passed, skipped := tests([]byte(`{"Action":"pass","Test":"TestA/reads_every_feed"}
{"Action":"pass","Test":"TestA"}
{"Action":"skip","Test":"TestB"}
`))
	if strings.Join(passed, "|") != "A: reads every feed" || strings.Join(skipped, "|") != "B" {
		t.Errorf("passed %q, skipped %q", passed, skipped)
	}
}
