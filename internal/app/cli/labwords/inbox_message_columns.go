package labwords

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

// messageRow is what a list shows of a message, in the width of a terminal.
type messageRow struct {
	Number   int       `json:"number"`
	At       time.Time `json:"at"`
	Method   string    `json:"method"`
	About    string    `json:"about"`
	Bytes    int       `json:"bytes"`
	Answered int       `json:"answered"`
}

// told are the ends of the names of headers that say what a message is about.
func told() []string { return []string{"-Event", "-Event-Type", "-Resource-State", "-Message-Number"} }

// Messages is a lab's list of the messages of an inbox with what fits a terminal.
func Messages(answer json.RawMessage) (json.RawMessage, error) {
	var list struct {
		Messages []struct {
			At       time.Time
			Method   string
			Headers  map[string]string
			Body     string
			Answered int
		}
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, fmt.Errorf("the lab's list of messages: %w", err)
	}
	rows := make([]messageRow, 0, len(list.Messages))
	for i, m := range list.Messages {
		row := messageRow{Number: i + 1, At: m.At, Method: m.Method, Bytes: len(m.Body), Answered: m.Answered}
		for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
			if slices.ContainsFunc(told(), func(end string) bool { return strings.HasSuffix(name, end) }) {
				row.About += ", " + name + " " + m.Headers[name]
			}
		}
		row.About = strings.TrimPrefix(row.About, ", ")
		rows = append(rows, row)
	}
	return json.Marshal(map[string]any{"messages": rows})
}

// Message is one message of a list, whole, by the number that Messages gives it.
func Message(answer json.RawMessage, number string) (json.RawMessage, error) {
	var list struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, fmt.Errorf("the lab's list of messages: %w", err)
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(list.Messages) {
		return nil, module.Fail(module.NotFound, "stoa inbox messages WORLD INBOX has the numbers",
			"there is no message %q: the inbox has %d", number, len(list.Messages))
	}
	return list.Messages[n-1], nil
}
