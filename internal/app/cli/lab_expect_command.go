package cli

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/platform/module"
)

// expectFlags are the members of an expectation.
type expectFlags struct {
	calls                    map[string]*string
	headers, bodies          []string
	exactly, atLeast, atMost int
	noCloserThan             string
	recorded                 string
}

func (p *Program) expect() *cobra.Command {
	f := expectFlags{calls: map[string]*string{}}
	c := &cobra.Command{
		Use: "expect WORLD", Short: "Check how often a world was asked something",
		Long: "Compare the requests of a world with what is expected, at least one call unless told otherwise.\n" +
			"The command fails with the nearest miss in words.\n\n" +
			"    stoa expect first --operation tasks.insert --body /title='\"milk\"' --exactly 1\n\n" +
			"A recording of requests is checked whole: each of them, as often as it is there.\n\n" +
			"    stoa expect first --recorded suite.har",
		Args: arguments.Words("WORLD"),
	}
	flags := c.Flags()
	for name, help := range map[string]string{
		"service": "`service` that was asked", "operation": "`operation`, as in docs/openapi", "method": "`method`",
		"path": "`pattern` of the path: * within a segment, ** across", "status": "`status` such as 404 or 4xx",
		"caller": "`caller`",
	} {
		f.calls[name] = flags.String(name, "", help)
	}
	flags.StringArrayVar(&f.headers, "header", nil, "`NAME=PATTERN` of a header; may be repeated")
	flags.StringArrayVar(&f.bodies, "body", nil, "`POINTER=JSON` of a member of the body; may be repeated")
	flags.IntVar(&f.exactly, "exactly", 0, "how many calls there are")
	flags.IntVar(&f.atLeast, "at-least", 0, "how many calls there are at least")
	flags.IntVar(&f.atMost, "at-most", 0, "how many calls there are at most")
	labwords.DurationVar(flags, &f.noCloserThan, "no-closer-than", "`duration` of the world that lies between two calls")
	flags.StringVar(&f.recorded, "recorded", "",
		"`file` with recorded requests: an archive (HAR), or stubs of WireMock; every other flag is left out")
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.recorded != "" {
			if arguments.OtherFlags(c, "recorded") {
				return module.Fail(module.Usage, "leave out the others", "--recorded says all that is expected")
			}
			return p.expectRecorded(c.Context(), args[0], f.recorded)
		}
		body, err := f.body(c)
		if err != nil {
			return err
		}
		client, err := p.dialLab(c.Context())
		if err != nil {
			return err
		}
		answer, err := client.Call(c.Context(), http.MethodPost, worldPath(args[0])+"/expect", body)
		if err != nil {
			return err
		}
		return p.printVerdict(answer)
	}
	return c
}

// printVerdict fails where the expectation did.
func (p *Program) printVerdict(answer json.RawMessage) error {
	var v struct {
		Pass    bool
		Message string
	}
	if err := json.Unmarshal(answer, &v); err != nil {
		return err
	}
	switch {
	case v.Pass:
		return p.print(answer)
	case p.json:
		return errors.Join(p.print(answer), &exitError{code: module.Failed.ExitCode()})
	}
	return module.Fail(module.Failed, "", "%s", v.Message)
}

func (f expectFlags) body(c *cobra.Command) (map[string]any, error) {
	calls, body := map[string]any{}, map[string]any{}
	for name, value := range f.calls {
		if *value == "" {
			continue
		}
		calls[name] = *value
		if n, err := strconv.Atoi(*value); err == nil && name == "status" {
			calls[name] = n
		}
	}
	header, member := map[string]string{}, map[string]json.RawMessage{}
	for _, pair := range f.headers {
		name, pattern, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, module.Fail(module.Usage, "use NAME=PATTERN", "--header %s has no pattern", pair)
		}
		header[name] = pattern
	}
	for _, pair := range f.bodies {
		pointer, value, ok := strings.Cut(pair, "=")
		if !ok || !json.Valid([]byte(value)) {
			return nil, module.Fail(module.Usage, `use POINTER=JSON, such as /title='"milk"'`,
				"--body %s has no value in JSON", pair)
		}
		member[pointer] = json.RawMessage(value)
	}
	if len(header) > 0 {
		calls["header"] = header
	}
	if len(member) > 0 {
		calls["body"] = member
	}
	body["calls"] = calls
	for flag, value := range map[string]any{
		"exactly": f.exactly, "at-least": f.atLeast, "at-most": f.atMost, "no-closer-than": f.noCloserThan,
	} {
		if c.Flags().Changed(flag) {
			body[map[string]string{
				"exactly": "exactly", "at-least": "atLeast", "at-most": "atMost", "no-closer-than": "noCloserThan",
			}[flag]] = value
		}
	}
	return body, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
