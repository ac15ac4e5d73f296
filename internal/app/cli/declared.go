package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
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
		parent.AddCommand(p.declared(c, words[len(words)-1]))
	}
}

// group is the command under parent that only holds others.
func group(parent *cobra.Command, word string) *cobra.Command {
	for _, child := range parent.Commands() {
		if child.Name() == word {
			return child
		}
	}
	child := &cobra.Command{
		Use: word, Short: "Commands about " + word, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	parent.AddCommand(child)
	return child
}

func (p *Program) declared(c module.Command, word string) *cobra.Command {
	_, line, _ := strings.Cut(c.Line(), c.Path)
	command := &cobra.Command{
		Use: word + line, Short: c.Short, Long: c.Long,
		DisableFlagsInUseLine: len(c.Flags) == 0,
	}
	collect := addFlags(command, c.Flags)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		values, err := argValues(c, args)
		if err != nil {
			return err
		}
		if err := collect(values); err != nil {
			return err
		}
		if err := c.Check(values); err != nil {
			return err
		}
		if err := p.confirm(c, values); err != nil {
			return err
		}
		result, err := p.run(cmd.Context(), c, values)
		if err != nil {
			return err
		}
		return p.print(result)
	}
	return command
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
			if a.File {
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

// confirm makes the operator type an argument again before something that
// cannot be undone.
func (p *Program) confirm(c module.Command, values map[string][]string) error {
	if c.Confirm == "" {
		return nil
	}
	want := values[c.Confirm][0]
	fmt.Fprintf(p.Stderr, "This cannot be undone. Type %s again to go on: ", want)
	typed, _ := bufio.NewReader(p.Stdin).ReadString('\n')
	if strings.TrimSpace(typed) != want {
		return module.Fail(module.Usage, "nothing was changed", "the second %s does not match", c.Confirm)
	}
	return nil
}

// run sends the command to the running server, or opens the store.
func (p *Program) run(ctx context.Context, c module.Command, values map[string][]string) (json.RawMessage, error) {
	config, err := p.load()
	if err != nil {
		return nil, err
	}
	progress := p.progress()
	client, _, err := admin.Dial(ctx, config.Data)
	if err == nil {
		defer client.Close()
		return client.Run(ctx, c.Path, values, progress)
	}
	if !errors.Is(err, admin.ErrNoServer) {
		return nil, err
	}
	return p.runHere(ctx, config, c.Path, values, progress)
}

func (p *Program) runHere(ctx context.Context, config app.Config, path string, values map[string][]string, progress func(module.Progress)) (json.RawMessage, error) {
	options := p.options(config)
	options.Quiet = true
	a, err := app.New(ctx, options)
	if err != nil {
		return nil, err
	}
	result, err := a.RunCommand(ctx, path, values, progress)
	if err = errors.Join(err, a.Close()); err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// progress shows long work on a line that overwrites itself.
func (p *Program) progress() func(module.Progress) {
	return func(step module.Progress) {
		if step.Total > 0 {
			fmt.Fprintf(p.Stderr, "\r%3d%% %d/%d %s\x1b[K", step.Done*100/step.Total, step.Done, step.Total, step.Note)
		} else {
			fmt.Fprintf(p.Stderr, "\r%d %s\x1b[K", step.Done, step.Note)
		}
		if step.Total > 0 && step.Done >= step.Total {
			fmt.Fprintln(p.Stderr)
		}
	}
}
