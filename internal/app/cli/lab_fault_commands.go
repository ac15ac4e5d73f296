package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/inputfile"
	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/lab/control"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/seed"
)

func (p *Program) faults() *cobra.Command {
	one := []string{"WORLD"}
	return labGroup("fault", "Make requests, messages and jobs of a world fail",
		p.faultAdd(), p.faultClear(), p.faultCatalog(),
		p.labCall("list WORLD", "List the rules of a world and how often they were met", one,
			func(args []string) (string, string, any) {
				return http.MethodGet, worldPath(args[0]) + "/faults", nil
			}),
	)
}

// ruleFlags are a rule as flags.
type ruleFlags struct {
	match, when  map[string]*string
	header, body map[string]string
	deed         string
	file         string
}

// Flags that are members of match and of when; those of when are JSON values or times.
func matchFlags() map[string]string {
	return map[string]string{
		"service":   "`name` of a service, deliveries or jobs",
		"operation": "`name` of an operation, as in docs/openapi",
		"method":    "HTTP `method`",
		"path":      "`pattern` of the path: * stands for a segment, ** for several",
		"caller":    "`pattern` of the caller, such as a user's name",
	}
}

func whenFlags() map[string]string {
	return map[string]string{
		"nth":   "only match `number` n",
		"every": "every match whose number is a multiple of `n`",
		"first": "the first `n` matches",
		"after": "let `n` matches pass before",
		"share": "`share` of the matches, from 0 to 1, by the world's seed",
		"from":  "from this `time` of the world",
		"until": "until this `time` of the world",
	}
}

func (f *ruleFlags) add(flags *pflag.FlagSet) {
	f.match, f.when = map[string]*string{}, map[string]*string{}
	for name, help := range matchFlags() {
		f.match[name] = flags.String(name, "", help)
	}
	for name, help := range whenFlags() {
		f.when[name] = flags.String(name, "", help)
	}
	flags.StringToStringVar(&f.header, "header", nil, "`name=pattern` of a header; repeatable")
	flags.StringToStringVar(&f.body, "body", nil, "JSON `pointer=value` of the body; repeatable")
	flags.StringVar(&f.deed, "deed", "",
		"`name` of the catalogue, or a JSON object such as {\"status\":503} or {\"delay\":\"5s\"}")
	flags.StringVar(&f.file, "file", "", "YAML `file` with rules below faults:, in place of the other flags")
}

// rule is what the flags say, as the API takes it.
func (f *ruleFlags) rule() (json.RawMessage, error) {
	match, when := map[string]any{}, map[string]any{}
	for name, value := range f.match {
		if *value != "" {
			match[name] = *value
		}
	}
	for name, value := range f.when {
		if *value == "" {
			continue
		}
		if err := checkWhen(name, *value); err != nil {
			return nil, err
		}
		when[name] = jsonOrText(*value)
	}
	if f.header != nil {
		match["header"] = f.header
	}
	if f.body != nil {
		members := map[string]any{}
		for pointer, value := range f.body {
			members[pointer] = jsonOrText(value)
		}
		match["body"] = members
	}
	var deed any = map[string]string{"fault": f.deed}
	if strings.HasPrefix(strings.TrimSpace(f.deed), "{") {
		if !json.Valid([]byte(f.deed)) {
			return nil, module.Fail(module.Usage, `write it as in '{"status":503}', with quotation marks`,
				"--deed: %s is not JSON", f.deed)
		}
		deed = json.RawMessage(f.deed)
	}
	if f.deed == "" {
		return nil, module.Fail(module.Usage, "give --deed NAME; stoa fault catalog lists the names", "--deed is missing")
	}
	return json.Marshal(map[string]any{"match": match, "when": when, "deed": deed})
}

// checkWhen refuses a value of when before it is sent.
func checkWhen(name, value string) (err error) {
	switch name {
	case "from", "until":
		_, err = labwords.Time("--"+name, value)
		return err
	case "share":
		return labwords.Share(name, value)
	}
	return labwords.Count(name, value)
}

// jsonOrText is a JSON value, or the text itself where it is none.
func jsonOrText(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// fileRule is a rule as a file has it. It is read with the reader of seed files, which knows the line
// of each member.
type fileRule struct {
	Match faultrule.Match `json:"match,omitzero"`
	When  faultrule.When  `json:"when,omitzero"`
	Deed  faultrule.Deed  `json:"deed,omitzero"`
}

// readFaults are the rules of a file.
func readFaults(file string) ([]json.RawMessage, error) {
	text, err := inputfile.Read(file, "name a file with rules below faults:")
	if err != nil {
		return nil, err
	}
	rules := []seed.Section{seed.NewSection[fileRule]("faults", "a rule", nil, nil)}
	if _, err := seed.Read(file, text, rules); err != nil {
		return nil, module.Fail(module.Usage, "see stoa fault add --help", "%w", err)
	}
	list, err := settings.Documents("faults", file, text)
	if err != nil {
		return nil, module.Fail(module.Usage, "see stoa fault add --help", "%w", err)
	}
	return list, nil
}

func (p *Program) faultAdd() *cobra.Command {
	var f ruleFlags
	c := &cobra.Command{
		Use: "add WORLD", Short: "Add a rule, or those of a file", Args: arguments.Words("WORLD"),
		Long: "Add a rule: what it matches, which of the matches it is about, and what happens to them.\n\n" +
			"    stoa fault add first --operation list_repo_events --first 1 --deed secondary_rate_limit\n" +
			"    stoa fault add first --service tasks --share 0.1 --deed '{\"status\":503}'\n" +
			"    stoa fault add first --file faults.yaml",
	}
	f.add(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		var rules []json.RawMessage
		rule, err := f.rule()
		if f.file != "" {
			if arguments.OtherFlags(c, "file") {
				return module.Fail(module.Usage, "put the rule into the file", "--file stands alone")
			}
			rules, err = readFaults(f.file)
		} else {
			rules = append(rules, rule)
		}
		if err != nil {
			return err
		}
		return p.addFaults(c.Context(), args[0], rules)
	}
	return c
}

func (p *Program) addFaults(ctx context.Context, world string, rules []json.RawMessage) error {
	client, err := p.dialLab(ctx)
	if err != nil {
		return err
	}
	for _, rule := range rules {
		answer, err := client.Call(ctx, http.MethodPost, worldPath(world)+"/faults", rule)
		if err == nil {
			err = p.print(answer)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) faultClear() *cobra.Command {
	var id string
	c := p.labCall("clear WORLD", "Remove all rules of a world, or with --id one", []string{"WORLD"},
		func(args []string) (string, string, any) {
			path := worldPath(args[0]) + "/faults"
			if id != "" {
				path += "/" + url.PathEscape(id)
			}
			return http.MethodDelete, path, nil
		})
	c.Flags().StringVar(&id, "id", "", "`id` of the one to remove")
	return c
}

// faultCatalog asks the lab, whose version may be another, and this program where there is none.
func (p *Program) faultCatalog() *cobra.Command {
	var service string
	c := &cobra.Command{
		Use: "catalog", Short: "List the failures that rules can name", Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := p.knownLab(); err == nil {
				return p.callLab(c.Context(), nil, func([]string) (string, string, any) {
					return http.MethodGet, "/faults/catalog?service=" + url.QueryEscape(service), nil
				})
			}
			faults, err := control.Catalog(app.FaultCatalogue(), service)
			if err != nil {
				return err
			}
			return p.printValue(faults)
		},
	}
	c.Flags().StringVar(&service, "service", "", "only those of this `service`")
	return c
}
