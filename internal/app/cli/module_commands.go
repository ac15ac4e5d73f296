package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/confirmation"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/cli/declaredflags"
	"stoa.dev/stoa/internal/app/cli/servicename"
	"stoa.dev/stoa/internal/platform/module"
)

// addDeclared turns declarations into a tree: "user add" hangs "add" below
// "user", which is made when first needed.
func (p *Program) addDeclared(root *cobra.Command, commands []module.Command) {
	for _, c := range commands {
		words := strings.Fields(c.Path)
		parent := root
		for _, word := range words[:len(words)-1] {
			parent = group(parent, word)
		}
		if hasChild(parent, words[len(words)-1]) {
			continue // it is written by hand, and calls the declared one
		}
		parent.AddCommand(p.declared(c, words[len(words)-1]))
	}
}

func hasChild(parent *cobra.Command, word string) bool {
	return slices.ContainsFunc(parent.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
}

// group is the command under parent that only holds others.
func group(parent *cobra.Command, word string) *cobra.Command {
	for _, child := range parent.Commands() {
		if child.Name() == word {
			return child
		}
	}
	path := strings.TrimPrefix(parent.CommandPath()+" "+word, "stoa ")
	child := &cobra.Command{
		Use: word, Short: cmp.Or(innerGroups()[path], "Commands about "+word), Args: arguments.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	parent.AddCommand(child)
	return child
}

func (p *Program) declared(c module.Command, word string) *cobra.Command {
	_, line, _ := strings.Cut(c.Line(), c.Path)
	command := &cobra.Command{
		Use: word + line, Short: strings.ToUpper(c.Short[:1]) + c.Short[1:], Long: c.Long,
		DisableFlagsInUseLine: len(c.Flags) == 0,
	}
	collect := declaredflags.Add(command, c.Flags)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		values, err := argValues(c, args)
		if err != nil {
			return err
		}
		collect(values)
		if err := p.readStdin(c, values); err != nil {
			return err
		}
		if err := c.Check(values); err != nil {
			return err
		}
		result, err := p.run(cmd.Context(), c, values)
		if err != nil {
			return nearService(err, values["service"])
		}
		return errors.Join(p.printAlone(result, c.Alone), incomplete(c.Incomplete, values, result))
	}
	return command
}

// incomplete is the failure of a command that did a part of its work.
func incomplete(of module.Incomplete, values map[string][]string, result json.RawMessage) error {
	if of.Member == "" || slices.Contains(values[of.Accepted], "true") {
		return nil
	}
	var members map[string]json.RawMessage
	var left []json.RawMessage
	if json.Unmarshal(result, &members) != nil || json.Unmarshal(members[of.Member], &left) != nil || len(left) == 0 {
		return nil
	}
	things := of.Thing
	if len(left) > 1 {
		things += "s"
	}
	return module.Fail(module.Conflict, of.Next, "%d %s %s", len(left), things, of.Member)
}

// nearService proposes the service that was meant where one was not found.
func nearService(err error, given []string) error {
	var failure *module.CommandError
	if len(given) != 1 || !errors.As(err, &failure) {
		return err
	}
	_, unknown := servicename.Find(given[0])
	if near := asFailure(cmp.Or(unknown, err)).Next; strings.HasPrefix(near, "did you mean") {
		near, _, _ = strings.Cut(near, "?")
		failure.Next = near + "? " + failure.Next
	}
	return failure
}

// argValues names the positional arguments.
func argValues(c module.Command, args []string) (map[string][]string, error) {
	values := map[string][]string{}
	for _, a := range c.Args {
		taken := args[:min(1, len(args))]
		if a.Many {
			taken = args
		}
		args = args[len(taken):]
		for _, value := range taken {
			if a.File != module.NoFile {
				absolute, err := filepath.Abs(value)
				if err != nil {
					return nil, err
				}
				value = absolute
			}
			values[a.Name] = append(values[a.Name], value)
		}
	}
	if len(args) > 0 {
		return nil, module.Fail(module.Usage, "see stoa "+c.Path+" --help", "unexpected argument %q", args[0])
	}
	return values, nil
}

// run sends the command to the running server, or opens the store, if it needs one.
func (p *Program) run(ctx context.Context, c module.Command, values map[string][]string) (json.RawMessage, error) {
	if c.Anywhere {
		return p.runHere(ctx, c, values)
	}
	owner, err := p.owner(ctx, datafolder.Of(c))
	if err != nil {
		return nil, err
	}
	if err := p.confirm(ctx, owner, c, values); err != nil {
		return nil, errors.Join(err, owner.close())
	}
	progress, end := p.progress()
	result, err := owner.run(ctx, c, values, progress)
	end()
	return result, errors.Join(err, owner.close())
}

// runHere runs a command that needs no data.
func (p *Program) runHere(ctx context.Context, c module.Command, values map[string][]string) (json.RawMessage, error) {
	progress, end := p.progress()
	result, err := admin.Run(ctx, c, values, progress)
	end()
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// confirm makes the operator type an argument again before something that
// cannot be undone. What would be refused anyway is not asked for.
func (p *Program) confirm(ctx context.Context, o owner, c module.Command, values map[string][]string) error {
	if c.Confirm == "" {
		return nil
	}
	if err := o.checkCommand(ctx, c.Path, values); err != nil {
		return err
	}
	return confirmation.Ask(p.Stdin, p.Stderr, c.Confirm, values[c.Confirm][0])
}
