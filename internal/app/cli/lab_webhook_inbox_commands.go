package cli

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/platform/module"
)

func inboxPath(args []string) string {
	return worldPath(args[0]) + "/inboxes/" + url.PathEscape(args[1])
}

func (p *Program) inboxes() *cobra.Command {
	two := []string{"WORLD", "INBOX"}
	call := func(method, below string) func([]string) (string, string, any) {
		return func(args []string) (string, string, any) { return method, inboxPath(args) + below, nil }
	}
	return labGroup("inbox", "Receive what the services of a world send out",
		p.inboxAdd(), p.inboxAnswer(), p.inboxMessages(), p.inboxShow(),
		p.labCall("list WORLD", "List the inboxes with their addresses", two[:1],
			func(args []string) (string, string, any) { return http.MethodGet, worldPath(args[0]) + "/inboxes", nil }),
		p.labCall("clear WORLD INBOX", "Forget the messages of an inbox", two, call(http.MethodDelete, "/messages")),
		p.labCall("remove WORLD INBOX", "Remove an inbox", two, call(http.MethodDelete, "")),
	)
}

// answerFlags are how an inbox answers.
type answerFlags struct {
	status, times int
	delay         string
	cut           bool
}

func (f *answerFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.status, "status", 0, "`status` of the answer (default 200)")
	c.Flags().IntVar(&f.times, "times", 0, "answer so for this `number` of messages, then accept (default all)")
	labwords.DurationVar(c.Flags(), &f.delay, "delay", "answer after this real `time`, such as 2s")
	c.Flags().BoolVar(&f.cut, "cut", false, "close the connection without an answer")
}

func (f *answerFlags) body() map[string]any {
	answer := map[string]any{}
	if f.status != 0 {
		answer["status"] = f.status
	}
	if f.times != 0 {
		answer["times"] = f.times
	}
	if f.delay != "" {
		answer["delay"] = f.delay
	}
	if f.cut {
		answer["cut"] = true
	}
	return answer
}

func (p *Program) inboxAdd() *cobra.Command {
	var answer answerFlags
	c := p.labCall("add WORLD INBOX", "Make an inbox and print its addresses", []string{"WORLD", "INBOX"},
		func(args []string) (string, string, any) {
			return http.MethodPost, worldPath(args[0]) + "/inboxes", map[string]any{"name": args[1], "answer": answer.body()}
		})
	answer.add(c)
	return c
}

func (p *Program) inboxAnswer() *cobra.Command {
	var answer answerFlags
	c := p.labCall("answer WORLD INBOX", "Change how an inbox answers (accept, without flags)", []string{"WORLD", "INBOX"},
		func(args []string) (string, string, any) {
			return http.MethodPatch, inboxPath(args), map[string]any{"answer": answer.body()}
		})
	answer.add(c)
	return c
}

func (p *Program) inboxMessages() *cobra.Command {
	var atLeast int
	var within string
	c := &cobra.Command{
		Use: "messages WORLD INBOX", Short: "List the messages of an inbox, oldest first",
		Args: arguments.Words("WORLD", "INBOX"),
		Long: "List the messages of an inbox, oldest first. With --at-least it waits for so many, and fails when they do\n" +
			"not come. stoa inbox show, and --json, have headers and bodies whole.",
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		query := url.Values{}
		if atLeast > 0 {
			query.Set("atLeast", strconv.Itoa(atLeast))
		}
		if within != "" {
			query.Set("within", within)
		}
		client, err := p.dialLab(c.Context())
		if err != nil {
			return err
		}
		answer, err := client.Call(c.Context(), http.MethodGet, inboxPath(args)+"/messages?"+query.Encode(), nil)
		if err != nil {
			return err
		}
		return p.printMessages(answer, args[1], atLeast)
	}
	c.Flags().IntVar(&atLeast, "at-least", 0, "wait until this `number` of messages is there")
	labwords.DurationVar(c.Flags(), &within, "within", "wait for at most this real `time`, such as 10s")
	return c
}

func (p *Program) inboxShow() *cobra.Command {
	return &cobra.Command{
		Use: "show WORLD INBOX NUMBER", Short: "Show a message whole, with its headers and its body",
		Args: arguments.Words("WORLD", "INBOX", "NUMBER"),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := p.dialLab(c.Context())
			if err != nil {
				return err
			}
			answer, err := client.Call(c.Context(), http.MethodGet, inboxPath(args)+"/messages", nil)
			if err == nil {
				answer, err = labwords.Message(answer, args[2])
			}
			return errors.Join(err, p.printUnless(err, answer))
		},
	}
}

// printMessages fails where fewer came than were waited for.
func (p *Program) printMessages(answer json.RawMessage, inbox string, atLeast int) error {
	var list struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(answer, &list); err != nil {
		return err
	}
	shown := answer
	if !p.json {
		var err error
		if shown, err = labwords.Messages(answer); err != nil {
			return err
		}
	}
	if err := p.print(shown); err != nil || len(list.Messages) >= atLeast {
		return err
	}
	return module.Fail(module.Failed, "wait longer with --within, or see stoa requests list for what was sent",
		"inbox %s: messages received: %d, expected: %d", inbox, len(list.Messages), atLeast)
}
