package resourcepages

import (
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

// The field of a chat's earlier texts, in order: a message, its answer, and so on. They
// travel with the form, so that nothing is stored and two tabs are two conversations.
const turnField = "console_turn"

// maxTurns bounds a conversation.
const maxTurns = 100

// turn is one text of a conversation.
type turn struct {
	Mine bool
	Text string
}

// chatBody is the page of a conversation.
type chatBody struct {
	formBody
	Turns []turn
	// Used says how much the last answer took, and Full that there is no further one.
	Used string
	Full bool
}

// turnsOf are the texts that came with the form.
func turnsOf(values url.Values) []turn {
	var list []turn
	for i, text := range values[turnField] {
		list = append(list, turn{Mine: i%2 == 0, Text: text})
	}
	return list[:min(len(list)/2*2, maxTurns)]
}

// chat sends a message with those before it, and shows all of them with the answer.
func (p *Pages) chat(v Visit, at place, a resource.Action) (Page, error) {
	values := v.Request.Query()
	body := chatBody{formBody: p.newForm(v, at, a, values), Turns: turnsOf(v.Values)}
	message := strings.TrimSpace(v.Values.Get("f:" + a.Fields[0].Name))
	status := http.StatusOK
	switch {
	case message == "":
		body.Problem, status = a.Fields[0].Title+" is needed.", http.StatusBadRequest
	case len(body.Turns) < maxTurns:
		got, err := p.do(v, at.module, a.Call, input{values: values, body: chatRequest(a.Chat, body.Turns, message)})
		if err != nil {
			return Page{}, err
		}
		body.Call, body.Answer = &got.Call, pretty(got)
		if got.failed() {
			body.Problem, status = errorText(got), statusOf(got)
			break
		}
		said, _ := wire.Lookup(got.Value, a.Chat.Answer)
		used, _ := wire.Lookup(got.Value, a.Chat.Used)
		body.Turns = append(body.Turns, turn{Mine: true, Text: message}, turn{Text: textOf(said)})
		body.Used, message = textOf(used), ""
	}
	body.Full = len(body.Turns) >= maxTurns
	body.Fields = []field{at.newField(a.Fields[0], message)}
	page, err := p.render("chat", a.Title, body)
	page.Status = status
	return page, err
}

// chatRequest is the body of the call: the turns before, and the message.
func chatRequest(c *resource.Chat, before []turn, message string) map[string]any {
	turns := make([]any, 0, len(before)+1)
	for _, t := range append(before[:len(before):len(before)], turn{Mine: true, Text: message}) {
		role := c.Answerer
		if t.Mine {
			role = c.Asker
		}
		one := map[string]any{c.Role: role}
		put(one, strings.Split(c.Text, "/"), t.Text)
		turns = append(turns, one)
	}
	return map[string]any{c.Turns: turns}
}
