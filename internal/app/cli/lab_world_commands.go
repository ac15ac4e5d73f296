package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/choice"
	"stoa.dev/stoa/internal/app/cli/confirmation"
	"stoa.dev/stoa/internal/app/cli/inputfile"
	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/app/cli/laststart"
	"stoa.dev/stoa/internal/app/envfile"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
)

// labGroup is a command that only holds others.
func labGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: arguments.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(commands...)
	return c
}

// labCall is a command that makes one call and prints the answer.
func (p *Program) labCall(
	use, short string, words []string, request func(args []string) (method, path string, body any),
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: arguments.Words(words...),
		RunE: func(c *cobra.Command, args []string) error { return p.callLab(c.Context(), args, request) },
	}
}

func (p *Program) callLab(
	ctx context.Context, args []string, request func(args []string) (method, path string, body any),
) error {
	client, err := p.dialLab(ctx)
	if err != nil {
		return err
	}
	method, path, body := request(args)
	answer, err := client.Call(ctx, method, path, body)
	if err == nil && len(answer) == 0 && !p.json {
		_, err = fmt.Fprintln(p.Stdout, "done")
	}
	if err != nil || len(answer) == 0 {
		return err
	}
	return p.print(answer)
}

func (p *Program) worlds() *cobra.Command {
	one := []string{"WORLD"}
	post := func(verb string) func([]string) (string, string, any) {
		return func(args []string) (string, string, any) {
			return http.MethodPost, worldPath(args[0]) + "/" + verb, struct{}{}
		}
	}
	return labGroup("world", "Make, fork, reset, save and delete worlds of a lab",
		p.worldCreate(), p.worldFork(), p.worldExport(), p.worldImport(),
		p.worldList(),
		p.labCall("show WORLD", "Show a world with its variables", one, func(args []string) (string, string, any) {
			return http.MethodGet, worldPath(args[0]), nil
		}),
		p.worldDelete(),
		p.labCall("reset WORLD", "Go back to what the world was born with", one, post("reset")),
		p.labCall("sleep WORLD", "Close a world until it is asked again", one, post("sleep")),
		p.labCall("wake WORLD", "Open a world", one, post("wake")),
		p.labCall("save WORLD SNAPSHOT", "Keep a world as it is now under a name", []string{"WORLD", "SNAPSHOT"},
			func(args []string) (string, string, any) {
				return http.MethodPost, worldPath(args[0]) + "/snapshots", map[string]string{"name": args[1]}
			}),
		p.labCall("saved", "List what was saved", nil, func([]string) (string, string, any) {
			return http.MethodGet, "/snapshots", nil
		}),
		p.labCall("forget SNAPSHOT", "Delete what was saved", []string{"SNAPSHOT"},
			func(args []string) (string, string, any) {
				return http.MethodDelete, "/snapshots/" + url.PathEscape(args[0]), nil
			}),
	)
}

// worldDelete asks before it deletes the world at /, which was not made for one test. What is refused anyway is
// not asked for.
func (p *Program) worldDelete() *cobra.Command {
	remove := func(args []string) (string, string, any) { return http.MethodDelete, worldPath(args[0]), nil }
	c := p.labCall("delete WORLD", "Delete a world and its data", []string{"WORLD"}, remove)
	c.Long = "Delete a world and its data. " + server.DefaultWorld + ", the world at /, has to be typed a second time."
	c.RunE = func(c *cobra.Command, args []string) error {
		if args[0] == server.DefaultWorld {
			client, err := p.dialLab(c.Context())
			if err == nil {
				_, err = client.Call(c.Context(), http.MethodGet, worldPath(args[0]), nil)
			}
			if err == nil {
				err = confirmation.Ask(p.Stdin, p.Stderr, "world", args[0])
			}
			if err != nil {
				return err
			}
		}
		return p.callLab(c.Context(), args, remove)
	}
	return c
}

func (p *Program) worldList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the worlds of the lab", Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := p.dialLab(c.Context())
			if err != nil {
				return err
			}
			answer, err := client.Call(c.Context(), http.MethodGet, "/worlds", nil)
			if err == nil && !p.json {
				answer, err = labwords.Worlds(answer)
			}
			return errors.Join(err, p.printUnless(err, answer))
		},
	}
}

func worldPath(name string) string { return "/worlds/" + url.PathEscape(name) }

// newWorldFlags are the members of POST /worlds.
type newWorldFlags struct {
	name, from, clock, dialect, expires, config string
	rate                                        float64
	seed                                        uint64
	seeded                                      bool // --seed was given
	seedFile                                    string
}

// addClock declares the flags of the world's clock and seed.
func (f *newWorldFlags) addClock(flags *pflag.FlagSet) {
	flags.StringVar(&f.clock, "clock", "", "`time` that the clock begins at; it stands still unless --rate is given")
	flags.Float64Var(&f.rate, "rate", 0, "seconds of the world a second")
	flags.Uint64Var(&f.seed, "seed", 0, "`number` that identifiers are made from; random when not given")
	flags.StringVar(&f.seedFile, "seed-file", "", "seed `file` that is added to what the world is born from")
}

// seedText is the text of the seed file, with what is in its folders.
func (f newWorldFlags) seedText() (string, error) {
	if f.seedFile == "" {
		return "", nil
	}
	return app.InlineSeed(f.seedFile)
}

// inSeedFile names the file in what a lab says about its text.
func (f newWorldFlags) inSeedFile(err error) error {
	var refused *lab.Error
	if f.seedFile == "" || !errors.As(err, &refused) {
		return err
	}
	place, found := strings.CutPrefix(refused.Message, "seedFile:")
	if !found {
		return err
	}
	return labclient.Refused(&lab.Error{Code: refused.Code, Message: f.seedFile + ":" + place, Next: refused.Next})
}

// newWorld is what the flags ask of a lab in this process.
func (f newWorldFlags) newWorld() (n lab.NewWorld, err error) {
	n = lab.NewWorld{Name: f.name, From: f.from, Dialect: f.dialect}
	if n.SeedFile, err = f.seedText(); err != nil {
		return n, err
	}
	if f.seeded {
		n.Seed = &f.seed
	}
	if f.clock == "" && f.rate == 0 {
		return n, nil
	}
	n.Clock.Mode = clock.ModeFrozen
	if f.rate != 0 {
		n.Clock.Mode, n.Clock.Rate = clock.ModeRunning, &f.rate
	}
	if f.clock != "" {
		at, err := labwords.Time("--clock", f.clock)
		if err != nil {
			return n, err
		}
		n.Clock.Now = &at
	}
	return n, nil
}

func (p *Program) worldCreate() *cobra.Command {
	var f newWorldFlags
	c := &cobra.Command{Use: "create", Short: "Make a world", Args: arguments.Words()}
	flags := c.Flags()
	flags.StringVar(&f.name, "name", "", "`name` of the world; chosen when empty")
	flags.StringVar(&f.from, "from", "demo", "demo, empty, snapshot:NAME or world:NAME")
	f.addClock(flags)
	flags.Var(&choice.Flag{Value: &f.dialect, Options: []string{"sdk", "neutral"}}, "dialect",
		"sdk (the default) or neutral")
	labwords.DurationVar(flags, &f.expires, "expires", "`duration` after which the world is deleted, such as 1h or 7d")
	flags.StringVar(&f.config, "config-json", "", "settings as a JSON `object`, as in the YAML file")
	c.RunE = func(c *cobra.Command, _ []string) error {
		f.seeded = c.Flags().Changed("seed")
		if err := f.check(); err != nil {
			return err
		}
		body := f.body()
		text, err := f.seedText()
		if err != nil {
			return err
		}
		if text != "" {
			body["seedFile"] = text
		}
		return f.inSeedFile(p.callLab(c.Context(), nil, func([]string) (string, string, any) {
			return http.MethodPost, "/worlds", body
		}))
	}
	return c
}

// check refuses what a lab would say in words of its API.
func (f newWorldFlags) check() error {
	if f.clock != "" {
		if _, err := labwords.Time("--clock", f.clock); err != nil {
			return err
		}
	}
	if f.config != "" && !json.Valid([]byte(f.config)) {
		return module.Fail(module.Usage, `write it as in '{"dialect":"sdk"}'`, "--config-json %s is not JSON", f.config)
	}
	return nil
}

func (f newWorldFlags) body() map[string]any {
	body := map[string]any{"from": f.from}
	for name, value := range map[string]string{"name": f.name, "dialect": f.dialect, "expires": f.expires} {
		if value != "" {
			body[name] = value
		}
	}
	if f.clock != "" || f.rate != 0 {
		body["clock"] = clockBody(f.clock, f.rate)
	}
	if f.seeded {
		body["seed"] = f.seed
	}
	if f.config != "" {
		body["config"] = json.RawMessage(f.config)
	}
	return body
}

// clockBody is a clock that stands still, or runs where there is a rate.
func clockBody(now string, rate float64) map[string]any {
	body := map[string]any{"mode": "frozen"}
	if rate != 0 {
		body["mode"], body["rate"] = "running", rate
	}
	if now != "" {
		body["now"] = now
	}
	return body
}

func (p *Program) worldFork() *cobra.Command {
	var name, expires string
	c := p.labCall("fork WORLD", "Make a world that begins as another is now", []string{"WORLD"},
		func(args []string) (string, string, any) {
			body := map[string]string{}
			if name != "" {
				body["name"] = name
			}
			if expires != "" {
				body["expires"] = expires
			}
			return http.MethodPost, worldPath(args[0]) + "/fork", body
		})
	c.Flags().StringVar(&name, "name", "", "`name` of the new world; chosen when empty")
	labwords.DurationVar(c.Flags(), &expires, "expires", "`duration` after which it is deleted, such as 1h or 7d")
	return c
}

func (p *Program) worldExport() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use: "export WORLD", Short: "Write a world to standard output as one file, or to a folder that stoa serve takes",
		Args: arguments.Words("WORLD"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			client, err := p.dialLab(c.Context())
			if err != nil {
				return err
			}
			response, err := client.Send(c.Context(), http.MethodGet, worldPath(args[0])+"/export", nil)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, response.Body.Close()) }()
			if folder != "" {
				return p.exportFolder(response.Body, folder)
			}
			_, err = io.Copy(p.Stdout, response.Body)
			return err
		},
	}
	c.Flags().StringVar(&folder, "folder", "", "write a data `folder` for stoa serve --data instead")
	return c
}

// exportFolder writes a data folder that is served in the dialect of the world.
func (p *Program) exportFolder(from io.Reader, folder string) error {
	dialect, settings, err := lab.Unpack(from, folder)
	if err == nil {
		err = laststart.Flags{"dialect": dialect}.Remember(folder)
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(struct {
		Folder   string          `json:"folder"`
		Dialect  string          `json:"dialect"`
		Settings json.RawMessage `json:"settings,omitempty"` // for the operator's file
		Next     string          `json:"next"`
	}{folder, dialect, settings, "stoa start --wait --listen 127.0.0.1:0 --data " + envfile.Quote(folder)})
	return errors.Join(err, p.printUnless(err, text))
}

func (p *Program) worldImport() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use: "import FILE", Short: "Make a world of an exported file", Args: arguments.Words("FILE"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			client, err := p.dialLab(c.Context())
			if err != nil {
				return err
			}
			file, err := inputfile.Open(args[0], "give a file made by stoa world export")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, file.Close()) }()
			// A request closes its body; the file is closed here, where its error is seen.
			response, err := client.Send(c.Context(), http.MethodPost, "/worlds/import?name="+url.QueryEscape(name),
				io.NopCloser(file))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, response.Body.Close()) }()
			answer, err := io.ReadAll(response.Body)
			if err != nil {
				return err
			}
			return p.print(answer)
		},
	}
	c.Flags().StringVar(&name, "name", "", "`name` of the world; the exported one's when empty")
	return c
}
