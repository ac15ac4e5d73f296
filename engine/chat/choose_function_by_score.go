package chat

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"stoa.dev/stoa/engine"
)

// Small models do not begin to call a function by themselves: they answer, and
// invent what the function would have told. But they know well what is asked of
// which function. So a call is decided by how likely the model finds the question
// after the words that describe a function, against the words that describe
// plain answers.

// Bounds of a choice, and the margin, as a logarithm, by which a function must be
// likelier than an answer. With SmolLM2-135M obvious calls had 2.4 and more, and
// plain questions 0.7 and less.
const (
	maxChoices     = 48
	maxQuestion    = 300
	maxDescription = 200
	minMargin      = 1.5
	nearTie        = 1.0
)

// answers describe what needs no function.
func answers() []Function {
	return []Function{
		{Name: "answer_question", Description: "Answer a question of general knowledge."},
		{Name: "chat", Description: "Have a friendly conversation."},
		{Name: "write_text", Description: "Write, summarize or translate a text."},
		{Name: "explain", Description: "Explain what something is, and how or why it works."},
	}
}

// Choice is between answering a question and calling one of the functions.
type Choice struct {
	question  string
	functions []Function
}

// NewChoice makes a Choice. Of many functions those stay that share most words with
// the question.
func NewChoice(question string, functions []Function) Choice {
	c := Choice{lastBytes(question, maxQuestion), slices.Clone(functions)}
	if len(c.functions) > maxChoices {
		slices.SortStableFunc(c.functions, func(a, b Function) int { return cmp.Compare(c.shared(b), c.shared(a)) })
		c.functions = c.functions[:maxChoices]
	}
	return c
}

// Scores are what a model has to be asked for; none when there is no question.
func (c Choice) Scores() []engine.Score {
	if strings.TrimSpace(c.question) == "" || len(c.functions) == 0 {
		return nil
	}
	var out []engine.Score
	for _, f := range append(answers(), c.functions...) {
		description := strings.TrimSpace(f.Description)
		if len(description) > maxDescription {
			description = strings.ToValidUTF8(description[:maxDescription], "")
		}
		out = append(out, engine.Score{
			Prefix: "A user asks an assistant to use the function " + f.Name + ", which does this: " + description +
				" The user asks:",
			Text: " " + c.question,
		})
	}
	return out
}

// Pick is the function to call, if the scores say so. Between functions that are
// nearly as likely as the best, shared words decide.
func (c Choice) Pick(scores []float64) (Function, bool) {
	plain := len(answers())
	if len(scores) != plain+len(c.functions) || len(c.functions) == 0 {
		return Function{}, false
	}
	answer, best := slices.Max(scores[:plain]), slices.Max(scores[plain:])
	if best-answer < minMargin {
		return Function{}, false
	}
	picked := -1
	for i, score := range scores[plain:] {
		if best-score > nearTie {
			continue
		}
		if picked < 0 || c.shared(c.functions[i]) > c.shared(c.functions[picked]) ||
			c.shared(c.functions[i]) == c.shared(c.functions[picked]) && score > scores[plain+picked] {
			picked = i
		}
	}
	return c.functions[picked], true
}

// shared counts the words of the question that a function's name and description
// have.
func (c Choice) shared(f Function) (n int) {
	about := words(f.Name + " " + f.Description)
	for word := range words(c.question) {
		if about[word] && len(word) > 3 {
			n++
		}
	}
	return n
}

func words(text string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		out[word] = true
	}
	return out
}

// lastBytes is the end of a text, which is where the question of a long one stands.
func lastBytes(s string, n int) string {
	if len(s) > n {
		s = s[len(s)-n:]
	}
	return strings.ToValidUTF8(s, "")
}
