package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/laststart"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/smallbuild"
)

// ready prints what a newcomer needs, and last the line that scripts wait for.
func (p *Program) ready(ctx context.Context, a *app.App, f serveFlags, dialect string) error {
	env := map[string]string{"STOA_URL": a.URL()}
	// A folder with a demo world has one, also where this start did not ask for it.
	if _, err := demo.ReadEnv(a.World().Dir); f.demo || err == nil {
		if env, err = a.RefreshDemo(ctx); err != nil {
			return err
		}
	}
	if err := rememberAddresses(a, f); err != nil {
		return err
	}
	if p.json {
		return p.readyJSON(a, env)
	}
	p.startScreen(a, env, dialect)
	fmt.Fprintf(p.Stdout, "ready %s\n", a.URL())
	return nil
}

// rememberAddresses keeps with the folder where its server listens.
func rememberAddresses(a *app.App, f serveFlags) error {
	asked := f.https
	if asked == "" && f.demo {
		asked = anyPort
	}
	secure := ""
	if u, err := url.Parse(a.HTTPSURL()); err == nil && u.Port() != "" {
		secure = net.JoinHostPort("127.0.0.1", u.Port())
	}
	if asked != anyPort {
		secure = "" // it was named
	}
	return errors.Join(laststart.HTTP.Remember(a.World().Dir, f.listen, a.Address()),
		laststart.HTTPS.Remember(a.World().Dir, asked, secure))
}

// startScreen says where to look, how to sign in, which words are spoken and what
// leaves the machine, in at most twenty lines with the ready line.
func (p *Program) startScreen(a *app.App, env map[string]string, dialect string) {
	table := tabwriter.NewWriter(p.Stdout, 0, 4, 2, ' ', 0)
	way, seeded := "a new password: "+newPassword, env["STOA_PASSWORD"] != ""
	if seeded {
		way = "sign in as " + env["STOA_USER"] + " with password " + env["STOA_PASSWORD"]
	}
	fmt.Fprintf(table, "Console\t%s/console  (%s)\n", a.URL(), way)
	if a.HTTPSURL() != "" {
		trust := ""
		if a.CAFile() != "" {
			trust = "  (its authority: " + a.CAFile() + ")"
		}
		fmt.Fprintf(table, "HTTPS\t%s%s\n", a.HTTPSURL(), trust)
	}
	fmt.Fprintf(table, "Dialect\t%s\n", dialectWords(dialect))
	if parts := smallbuild.Missing(); len(parts) > 0 {
		fmt.Fprintf(table, "Build\tsmall, without %s\n", strings.Join(parts, ", "))
	}
	if lacks := smallbuild.OnSystem(runtime.GOOS, runtime.GOARCH); len(lacks) > 0 {
		fmt.Fprintf(table, "System\t%s on %s: without %s\n", runtime.GOOS, runtime.GOARCH, strings.Join(lacks, ", "))
	}
	if seeded {
		fmt.Fprintf(table, "Shell\t. %s  (then stoa env prints a line to try for every service)\n",
			shellPath(filepath.Join(a.World().Dir, demo.EnvFile)))
		_ = table.Flush() // as the lines around it
		for _, m := range a.Modules() {
			fmt.Fprintf(table, "  %s\t%s\n", m.Title, baseURL(m, env))
		}
	}
	_ = table.Flush() // as the lines around it
	fmt.Fprintln(p.Stdout, a.Outbound())
}

// newPassword is how to get in where no password is known.
const newPassword = "stoa user password NAME"

// dialectWords says what the dialect means for clients, and how to switch.
func dialectWords(dialect string) string {
	if dialect == "sdk" {
		return "sdk: the spellings of official SDKs, which run unmodified"
	}
	return "neutral: brand words are neutral; official SDKs need --dialect sdk"
}

type readyJSON struct {
	URL      string      `json:"url"`
	HTTPSURL string      `json:"https_url,omitempty"`
	CAFile   string      `json:"ca_file,omitempty"`
	DemoEnv  string      `json:"demo_env,omitempty"`
	Outbound string      `json:"outbound"`
	Services []readyItem `json:"services"`
}

type readyItem struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Variable string `json:"credential,omitempty"`
	Example  string `json:"example,omitempty"`
}

func (p *Program) readyJSON(a *app.App, env map[string]string) error {
	out := readyJSON{URL: a.URL(), HTTPSURL: a.HTTPSURL(), CAFile: a.CAFile(), Outbound: a.Outbound()}
	if env["STOA_PASSWORD"] != "" {
		out.DemoEnv = filepath.Join(a.World().Dir, demo.EnvFile)
	}
	out.Services = readyItems(a.Modules(), env)
	return json.NewEncoder(p.Stdout).Encode(out)
}

func readyItems(modules []module.Module, env map[string]string) []readyItem {
	items := make([]readyItem, 0, len(modules))
	for _, m := range modules {
		items = append(items, readyItem{
			Name: m.Name, Title: m.Title, URL: baseURL(m, env), Variable: m.Example.Credential, Example: m.Example.Shell,
		})
	}
	return items
}

func baseURL(m module.Module, env map[string]string) string {
	if len(m.Prefixes) == 0 {
		return env["STOA_KMS_SOCKET"]
	}
	return env["STOA_URL"] + m.Prefixes[0]
}
