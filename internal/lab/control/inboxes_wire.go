package control

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/inbox"
)

type answerJSON struct {
	Status int      `json:"status"`
	Delay  duration `json:"delay"`
	Cut    bool     `json:"cut"`
	Times  int      `json:"times"`
}

type addInboxJSON struct {
	Name   string     `json:"name"`
	Answer answerJSON `json:"answer"`
}

type setInboxJSON struct {
	Answer answerJSON `json:"answer"`
}

// shownAnswerJSON is how an inbox answers, without what it was not told.
type shownAnswerJSON struct {
	Status int    `json:"status,omitempty"`
	Delay  string `json:"delay,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
	Times  int    `json:"times,omitempty"`
}

type inboxJSON struct {
	Name     string           `json:"name"`
	URL      string           `json:"url"`
	HTTPSURL string           `json:"httpsUrl"`
	Answer   *shownAnswerJSON `json:"answer,omitempty"`
}

type inboxesJSON struct {
	Inboxes []inboxJSON `json:"inboxes"`
}

type messageJSON struct {
	At        time.Time         `json:"at"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	Body      any               `json:"body"`
	Truncated bool              `json:"bodyTruncated,omitempty"`
	Answered  int               `json:"answered"`
}

type messagesJSON struct {
	Messages []messageJSON `json:"messages"`
}

func (j answerJSON) answer() (inbox.Answer, error) {
	switch {
	case j.Status != 0 && (j.Status < 200 || j.Status > 599):
		return inbox.Answer{}, invalidAnswer("answer.status must be between 200 and 599, not %s", strconv.Itoa(j.Status))
	case j.Delay.Duration < 0 || j.Delay.Duration > maxDelay:
		return inbox.Answer{}, invalidAnswer("answer.delay must be at most %s", maxDelay.String())
	case j.Times < 0:
		return inbox.Answer{}, invalidAnswer("answer.times must be positive, not %s", strconv.Itoa(j.Times))
	}
	return inbox.Answer{Status: j.Status, Delay: j.Delay.Duration, Cut: j.Cut, Times: j.Times}, nil
}

func invalidAnswer(format, value string) error {
	return &lab.Error{
		Code: lab.CodeInvalid, Message: strings.Replace(format, "%s", value, 1),
		Next: `send {"answer":{"status":503,"times":3}}, or leave answer out to accept everything`,
	}
}

func toInbox(w *lab.World, b inbox.Box) inboxJSON {
	i := w.Info()
	out := inboxJSON{
		Name: b.Name, URL: i.URL + inbox.Prefix + b.Name, HTTPSURL: i.HTTPSURL + inbox.Prefix + b.Name,
	}
	if b.Answer != (inbox.Answer{}) {
		out.Answer = &shownAnswerJSON{Status: b.Answer.Status, Cut: b.Answer.Cut, Times: b.Answer.Times}
		if b.Answer.Delay > 0 {
			out.Answer.Delay = b.Answer.Delay.String()
		}
	}
	return out
}

func toMessage(m inbox.Message) messageJSON {
	out := messageJSON{
		At: m.At.Round(0), Method: m.Method, Headers: map[string]string{}, Body: bodyJSON(m.Body),
		Truncated: m.Truncated, Answered: m.Answered,
	}
	for name, values := range m.Header {
		out.Headers[name] = strings.Join(values, ", ")
	}
	return out
}

// bodyJSON is text where a body is text, and {base64} where it is not.
func bodyJSON(body []byte) any {
	if utf8.Valid(body) {
		return string(body)
	}
	return struct {
		Base64 []byte `json:"base64"`
	}{body}
}
