package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/app/cli/output"
	"stoa.dev/stoa/internal/app/cli/plain"
	"stoa.dev/stoa/internal/app/cli/servicename"
	"stoa.dev/stoa/internal/app/envfile"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

func (p *Program) requests() *cobra.Command {
	one, two := []string{"WORLD"}, []string{"WORLD", "ID"}
	return labGroup("requests", "See what was asked and answered, and send it again",
		p.requestsList(), p.requestsShow(), p.requestsTail(), p.requestsHAR(),
		p.labCall("replay WORLD ID", "Send a request again, with its credential", two,
			func(args []string) (string, string, any) {
				return http.MethodPost, requestPath(args) + "/replay", struct{}{}
			}),
		p.labCall("clear WORLD", "Forget the requests of a world", one, func(args []string) (string, string, any) {
			return http.MethodDelete, worldPath(args[0]) + "/requests", nil
		}),
	)
}

func requestPath(args []string) string {
	return worldPath(args[0]) + "/requests/" + url.PathEscape(args[1])
}

// requestFlags say which requests are meant.
type requestFlags struct {
	names  []string
	values map[string]*string
}

func (f *requestFlags) add(flags *pflag.FlagSet, name, help string) {
	if f.values == nil {
		f.values = map[string]*string{}
	}
	f.names = append(f.names, name)
	f.values[name] = new(string)
	if name == "since" {
		labwords.TimeVar(flags, f.values[name], name, help)
		return
	}
	flags.StringVar(f.values[name], name, "", help)
}

func (f *requestFlags) addFilter(flags *pflag.FlagSet) {
	f.add(flags, "service", "only requests to this `service`")
	f.add(flags, "operation", "only requests of this `operation`, as in docs/openapi")
	f.add(flags, "status", "only answers with this `status`, such as 404 or 4xx")
	f.add(flags, "caller", "only requests of this `caller`")
	f.add(flags, "method", "only requests with this `method`")
	f.add(flags, "path", "only paths that match this `pattern`: * within a segment, ** across")
	f.add(flags, "text", "only requests with this `text` in them")
	f.add(flags, "console", "also what the console's own pages ask for (`yes` or no)")
	flags.Lookup("console").NoOptDefVal = "yes"
}

// query is the flags that were given.
func (f *requestFlags) query() string {
	q := url.Values{}
	for _, name := range f.names {
		if value := *f.values[name]; value != "" {
			q.Set(strings.ReplaceAll(name, "page-token", "pageToken"), value)
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// check refuses a service and an operation that do not exist: they would have no requests for ever.
func (f *requestFlags) check() error {
	operation := *f.values["operation"]
	if err := f.checkService(); err != nil || operation == "" {
		return err
	}
	for _, m := range app.Tables() {
		if slices.ContainsFunc(m.Routes, func(r route.Route) bool { return r.Name == operation }) {
			return nil // also of pages, which have no faults
		}
	}
	var refused *faultrule.Error
	if err := app.FaultCatalogue().CheckNames("calls.", "", operation); errors.As(err, &refused) {
		message, next := labwords.Refusal(refused.Error(), refused.Next)
		return module.Fail(module.Usage, next, "%s", message)
	}
	return nil
}

func (f *requestFlags) checkService() error {
	name := *f.values["service"]
	if name == "" || app.FaultCatalogue().CheckNames("", name, "") == nil {
		return nil
	}
	for _, m := range app.Tables() {
		if m.Name == name {
			return nil
		}
	}
	_, err := servicename.Find(name)
	return err
}

func (p *Program) requestsList() *cobra.Command {
	var f requestFlags
	c := p.labCall("list WORLD", "List requests, newest first", []string{"WORLD"},
		func(args []string) (string, string, any) {
			return http.MethodGet, worldPath(args[0]) + "/requests" + f.query(), nil
		})
	f.addFilter(c.Flags())
	c.PreRunE = func(*cobra.Command, []string) error { return f.check() }
	f.add(c.Flags(), "since", "only requests since this `time` of the world")
	f.add(c.Flags(), "limit", "how many at most, up to 1000 (100)")
	f.add(c.Flags(), "page-token", "go on with the `token` of the page before")
	return c
}

func (p *Program) requestsShow() *cobra.Command {
	var curl bool
	c := &cobra.Command{
		Use: "show WORLD ID", Short: "Show a request with headers, bodies and what it caused",
		Args: arguments.Words("WORLD", "ID"),
	}
	c.Flags().BoolVar(&curl, "curl", false, "print the curl command that sends it; secrets are left out")
	c.RunE = func(c *cobra.Command, args []string) error {
		client, err := p.dialLab(c.Context())
		if err != nil {
			return err
		}
		answer, err := client.Call(c.Context(), http.MethodGet, requestPath(args), nil)
		if err != nil || !curl {
			return errors.Join(err, p.printUnless(err, answer))
		}
		world, err := client.Call(c.Context(), http.MethodGet, worldPath(args[0]), nil)
		if err != nil {
			return err
		}
		line, err := asCurl(answer, world)
		if output.Terminal(p.Stdout) {
			line = plain.Lines(line) // a body may hold what a terminal obeys
		}
		if err == nil {
			_, err = fmt.Fprintln(p.Stdout, line)
		}
		return err
	}
	return c
}

func (p *Program) printUnless(err error, answer json.RawMessage) error {
	if err != nil {
		return nil
	}
	return p.print(answer)
}

// asCurl is the command that sends a record again. What was masked is left to the
// reader: the token of the world where it was one, else the mask.
func asCurl(record, world json.RawMessage) (string, error) {
	var r struct {
		Method, Path, Query string
		RequestHeaders      map[string]string
		RequestBody         json.RawMessage
	}
	var w struct{ URL string }
	if err := errors.Join(json.Unmarshal(record, &r), json.Unmarshal(world, &w)); err != nil {
		return "", err
	}
	address := w.URL + r.Path
	if r.Query != "" {
		address += "?" + r.Query
	}
	words := []string{"curl", "-X", envfile.Word(r.Method), envfile.Quote(address)}
	for _, name := range sortedKeys(r.RequestHeaders) {
		value := r.RequestHeaders[name]
		switch {
		case name == "Content-Length" || name == "Accept-Encoding" || name == "Connection":
		case name == "Authorization":
			words = append(words, "-H", `"Authorization: Bearer $STOA_TOKEN"`)
		default:
			words = append(words, "-H", envfile.Quote(name+": "+value))
		}
	}
	var body string
	if json.Unmarshal(r.RequestBody, &body) != nil {
		return "", module.Fail(module.Failed, "see stoa requests show without --curl", "the body is not a text")
	}
	if body != "" {
		words = append(words, "--data-binary", envfile.Quote(body))
	}
	return strings.Join(words, " "), nil
}

func (p *Program) requestsHAR() *cobra.Command {
	return &cobra.Command{
		Use: "har WORLD", Short: "Write the requests to standard output as an HTTP archive (HAR 1.2)",
		Args: arguments.Words("WORLD"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			client, err := p.dialLab(c.Context())
			if err != nil {
				return err
			}
			response, err := client.Send(c.Context(), http.MethodGet, worldPath(args[0])+"/requests.har", nil)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, response.Body.Close()) }()
			_, err = io.Copy(p.Stdout, response.Body)
			return err
		},
	}
}

func (p *Program) requestsTail() *cobra.Command {
	f, limit, span := requestFlags{}, 0, time.Duration(0)
	c := &cobra.Command{
		Use: "tail [WORLD]", Short: "Show requests as they are answered",
		Long: "Show the requests of a world of a lab as they are answered. Without WORLD, those of the server in the\n" +
			"data folder, without headers and bodies and with secrets masked, for ten minutes unless --for says\n" +
			"otherwise. Without --for, those of a world are shown without end.",
		Args: arguments.Optional("WORLD"),
	}
	f.addFilter(c.Flags())
	c.Flags().IntVar(&limit, "limit", 0, "end after so many requests")
	c.Flags().DurationVar(&span, "for", 10*time.Minute, "how long: of a server at most 1h, of a world any time")
	c.Flags().Lookup("for").DefValue = "" // that of a server; a world has none
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx, cancel := context.WithCancel(c.Context())
		defer cancel()
		shown := 0
		show := func(line string) error {
			if err := p.printRequest(line); err != nil {
				return err
			}
			if shown++; shown == limit {
				cancel()
			}
			return nil
		}
		if err := f.check(); err != nil {
			return err
		}
		if len(args) == 0 {
			return p.tailServer(ctx, span, f, show)
		}
		if c.Flags().Changed("for") {
			ctx, cancel = context.WithTimeout(ctx, span)
			defer cancel()
		}
		return p.tailWorld(ctx, worldPath(args[0])+"/requests/stream"+f.query(), show)
	}
	return c
}

// tailWorld reads the stream of a world until it ends.
func (p *Program) tailWorld(ctx context.Context, path string, show func(string) error) (err error) {
	client, err := p.dialLab(ctx)
	if err != nil {
		return err
	}
	response, err := client.Send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	fmt.Fprintln(p.Stderr, "watching")
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	event := ""
	for lines.Scan() && ctx.Err() == nil {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			event = name
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || event != "request" {
			continue
		}
		if err := show(data); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return lines.Err()
}

// tailServer has the server of the data folder keep requests for a while.
func (p *Program) tailServer(ctx context.Context, span time.Duration, f requestFlags, show func(string) error) error {
	if f.query() != "" {
		return module.Fail(module.Usage, "filter the lines instead, or name a world", "the flags are for worlds of a lab")
	}
	config, err := p.load()
	if err != nil {
		return err
	}
	client, _, err := admin.Dial(ctx, config.Data)
	if errors.Is(err, admin.ErrNoServer) {
		if err := datafolder.RefuseWithoutWorld(config.Data); err != nil {
			return err
		}
		return module.Fail(module.NotFound, "start it with stoa start, or name its folder with --data", "%w", err)
	}
	if err != nil {
		return err
	}
	defer client.Close()
	var failed error
	values := map[string][]string{"for": {span.String()}}
	_, err = client.Run(ctx, "requests tail", values, func(s module.Progress) {
		switch {
		case s.Note == "":
			fmt.Fprintln(p.Stderr, "watching")
		case failed == nil && ctx.Err() == nil:
			failed = show(s.Note)
		}
	})
	if ctx.Err() != nil {
		return failed
	}
	return errors.Join(err, failed)
}

// printRequest writes one line: JSON with --json, else what is needed to follow.
func (p *Program) printRequest(line string) error {
	if p.json {
		_, err := fmt.Fprintln(p.Stdout, line)
		return err
	}
	var r struct {
		ID, Service, Operation, Method, Path, Query, Reason, Caller string

		At         time.Time
		Status     int
		DurationMs float64
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return err
	}
	text := fmt.Sprintf("%s %d %s %s", r.At.Format(time.RFC3339), r.Status, r.Method, r.Path)
	if r.Query != "" {
		text += "?" + r.Query
	}
	text += fmt.Sprintf(" %s %s %.1fms", r.Service, r.Operation, r.DurationMs)
	if r.Caller != "" {
		text += " (" + r.Caller + ")"
	}
	if r.Reason != "" {
		text += " " + r.Reason
	}
	_, err := fmt.Fprintln(p.Stdout, plain.Line(text))
	return err
}
