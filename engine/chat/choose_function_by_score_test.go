package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/engine/chat"
)

// TestChoice asks for scores of answers and functions, and calls by their margin.
func TestChoice(t *testing.T) {
	t.Parallel()
	functions := []chat.Function{
		{Name: "get_weather", Description: "Get the weather."}, {Name: "get_time", Description: "Get the time."},
	}
	c := chat.NewChoice("What time is it in Tokyo?", functions)
	asked := c.Scores()
	if len(asked) != 6 || !strings.Contains(asked[4].Prefix, "get_weather") ||
		asked[5].Text != " What time is it in Tokyo?" {
		t.Fatalf("asked: %+v", asked)
	}
	for _, row := range []struct {
		scores []float64
		want   string
	}{
		{[]float64{-20, -21, -22, -23, -30, -10}, "get_time"},
		{[]float64{-20, -21, -22, -23, -10, -30}, "get_weather"},
		{[]float64{-20, -21, -22, -23, -10, -10.5}, "get_time"}, // nearly alike, and it shares a word
		{[]float64{-20, -21, -22, -23, -19, -30}, ""},           // not by a margin
		{[]float64{-20}, ""},
	} {
		f, called := c.Pick(row.scores)
		if f.Name != row.want || called != (row.want != "") {
			t.Errorf("%v: got %q, want %q", row.scores, f.Name, row.want)
		}
	}
}

// TestChoiceIsBounded keeps the functions that share words with the question.
func TestChoiceIsBounded(t *testing.T) {
	t.Parallel()
	var many []chat.Function
	for i := range 500 {
		many = append(many, chat.Function{Name: fmt.Sprintf("f%d", i), Description: strings.Repeat("x", 1000)})
	}
	many[400].Description = "Tells the weather."
	asked := chat.NewChoice(strings.Repeat("y ", 1000)+"weather", many).Scores()
	if len(asked) != 52 || !strings.Contains(asked[4].Prefix, "f400") || len(asked[4].Text) > 301 ||
		len(asked[5].Prefix) > 400 {
		t.Errorf("%d scores, first function %q", len(asked), asked[4].Prefix)
	}
	if n := len(chat.NewChoice(" ", many).Scores()); n != 0 {
		t.Errorf("%d scores without a question", n)
	}
}
