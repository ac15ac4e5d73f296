package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/cli/sdkclients"
	"stoa.dev/stoa/internal/app/cli/servicename"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/app/envfile"
	"stoa.dev/stoa/internal/platform/module"
)

func (p *Program) env() *cobra.Command {
	var sdk string
	c := &cobra.Command{
		Use:   "env [SERVICE]",
		Short: "Print what an SDK needs to reach a service of this data folder",
		Long: "Print the addresses, credentials and variables of one service, for a shell to evaluate:\n\n" +
			"    eval \"$(stoa env tasks --sdk go)\"\n\n" +
			"Credentials come from the demo world. A data folder without one has addresses only, and the\n" +
			"command that issues a credential is printed instead. Without SERVICE, a line to paste is printed for\n" +
			"every service.",
		Args: arguments.Optional("SERVICE"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && c.Flags().Changed("sdk") {
				return module.Fail(module.Usage, "see stoa env --help", "--sdk needs SERVICE, as in stoa env tasks --sdk node")
			}
			if len(args) == 0 {
				return p.allExamples(c.Context())
			}
			return p.runEnv(c.Context(), args[0], sdk)
		},
	}
	c.Flags().StringVar(&sdk, "sdk", "shell", "language of the client ("+strings.Join(sdkclients.Languages(), ", ")+")")
	return c
}

// envJSON is what an SDK needs.
type envJSON struct {
	Service string `json:"service"`
	SDK     string `json:"sdk"`
	Client  string `json:"client,omitempty"`
	Line    string `json:"line,omitempty"`
	Example string `json:"example,omitempty"`
	// Dialect is what the running server speaks; empty without one.
	Dialect   string            `json:"dialect,omitempty"`
	Note      string            `json:"note,omitempty"`
	Variables map[string]string `json:"variables"`
	Missing   string            `json:"missing,omitempty"`
}

func (p *Program) runEnv(ctx context.Context, service, sdk string) error {
	if known := sdkclients.Languages(); !slices.Contains(known, sdk) {
		return module.Fail(module.Usage, "see stoa env --help", "--sdk: %q is not one of %s", sdk, strings.Join(known, ", "))
	}
	m, err := servicename.Find(service)
	if err != nil {
		return err
	}
	env, speaks, err := p.world(ctx)
	if err != nil {
		return err
	}
	out := describe(m, sdk, env)
	if out.Dialect = speaks; speaks == "neutral" && official(m, sdk) {
		out.Note = neutralNote
	}
	if p.json {
		return p.printValue(out)
	}
	p.printEnv(out)
	return nil
}

// allExamples prints what can be tried on every service.
func (p *Program) allExamples(ctx context.Context) error {
	env, _, err := p.world(ctx)
	if err != nil {
		return err
	}
	if !p.json {
		p.printExamples(app.Services(), env)
		return nil
	}
	return p.printValue(map[string]any{"services": readyItems(app.Services(), env)})
}

// describe says what the client needs and, without a demo world, how to get it.
func describe(m module.Module, sdk string, env map[string]string) envJSON {
	c := sdkclients.Of(m.Name, sdk)
	out := envJSON{
		Service: m.Name, SDK: sdk, Client: c.Package, Line: c.Line, Variables: c.Variables(m, env),
	}
	if ca := env["STOA_CA_FILE"]; ca != "" && env["STOA_HTTPS_URL"] != "" {
		maps.Copy(out.Variables, sdkclients.Trusts(sdk, ca))
	}
	if sdk == "shell" {
		out.Example, out.Note = m.Example.Shell, m.Example.Note
	}
	switch name := m.Example.Credential; {
	case len(m.Prefixes) == 0 && env[socketVariable] == "":
		out.Missing = socketVariable + ": start with --kms-socket PATH"
	case name != "" && env[name] == "":
		out.Missing = fmt.Sprintf("%s: stoa token issue --user NAME --service %s", name, m.Name)
	}
	return out
}

// socketVariable names the socket of the one service that has no paths.
const socketVariable = "STOA_KMS_SOCKET"

// neutralNote is said where an official client would meet spellings it does
// not know.
const neutralNote = "this server speaks the neutral dialect; official clients need: " +
	"stoa stop; stoa start --wait --demo --dialect sdk"

// official reports whether the language has a client of the service that speaks
// HTTP, the only thing a dialect changes.
func official(m module.Module, sdk string) bool {
	return sdk != "shell" && len(m.Prefixes) > 0 && sdkclients.Of(m.Name, sdk).Package != ""
}

// printEnv writes assignments for a shell, and the rest as comments.
func (p *Program) printEnv(out envJSON) {
	if out.Note != "" {
		fmt.Fprintf(p.Stdout, "# %s\n", out.Note)
	}
	for _, name := range slices.Sorted(maps.Keys(out.Variables)) {
		fmt.Fprintf(p.Stdout, "export %s=%s\n", name, envfile.Quote(out.Variables[name]))
	}
	if out.Client == "" && out.SDK != "shell" {
		out.Client = "none for " + out.SDK + "; any client of HTTP will do, see stoa env " + out.Service
	}
	for _, note := range []struct{ word, text string }{
		{"missing", out.Missing}, {"client", out.Client}, {"aim", out.Line}, {"try", out.Example},
	} {
		if note.text != "" {
			fmt.Fprintf(p.Stdout, "# %s: %s\n", note.word, note.text)
		}
	}
}

// world are the variables of the data folder, demo.env's when there is a demo
// world, and the dialect of the server when one runs.
func (p *Program) world(ctx context.Context) (env map[string]string, dialect string, err error) {
	config, err := p.load()
	if err != nil {
		return nil, "", err
	}
	env, missing := demo.ReadEnv(config.Data)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return nil, "", missing
	}
	client, status, err := admin.Dial(ctx, config.Data)
	switch {
	case err == nil:
		client.Close()
	case !errors.Is(err, admin.ErrNoServer):
		return nil, "", err
	case missing != nil:
		return nil, "", noWorld(config.Data)
	}
	if missing != nil {
		env = map[string]string{}
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "stoa: no server runs on %s; these are the addresses of its last start\n"+
			"      %s\n", config.Data, p.hint("start it with stoa start --wait"))
	}
	// A server that runs knows its addresses best.
	for name, value := range map[string]string{
		"STOA_URL": status.URL, "STOA_HTTPS_URL": status.HTTPSURL,
		"STOA_CA_FILE": status.CAFile, socketVariable: status.KMSSocket,
	} {
		if value != "" {
			env[name] = value
		}
	}
	return env, status.Dialect, nil
}

// noWorld says what a folder has instead of a world: a lab has several.
func noWorld(dir string) error {
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	if lab.PID != 0 {
		return module.Fail(module.Usage, "name one with --world, such as --world default; stoa world list shows them",
			"%s is the folder of the lab at %s, which has worlds of its own", dir, lab.URL)
	}
	if err := datafolder.RefuseLab(dir); err != nil {
		return err
	}
	return module.Fail(module.NotFound, "start one with stoa start --wait --demo, or name its folder with --data",
		"%s has no demo world and no running server", dir)
}

// printExamples prints a command for every service that can be pasted as it is.
func (p *Program) printExamples(modules []module.Module, env map[string]string) {
	for _, m := range modules {
		if m.Example.Shell == "" {
			continue
		}
		note := ""
		if m.Example.Note != "" {
			note = " (" + m.Example.Note + ")"
		}
		fmt.Fprintf(p.Stdout, "# %s: %s%s\n%s\n", m.Name, m.Title, note, expand(m.Example.Shell, env))
	}
}

// expand fills in the variables, so that the line works in any shell.
func expand(line string, env map[string]string) string {
	return os.Expand(line, func(name string) string {
		if value, ok := env[name]; ok {
			return value
		}
		return "$" + name
	})
}
