package resourcepages

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
)

// run runs an operator command for an administrator.
func (p *Pages) run(v Visit, c resource.Call, in input) (answer, error) {
	command, ok := p.command(c.Command)
	if !ok || !v.User.Admin {
		return answer{}, route.ErrNoRoute
	}
	values := map[string][]string{}
	put := func(name string) {
		switch given := in.values[name]; {
		case c.Parameters[name] != "":
			values[name] = []string{c.Parameters[name]}
		case c.Query[name] != "":
			values[name] = []string{c.Query[name]}
		case len(in.query[name]) > 0:
			values[name] = in.query[name]
		case len(given) > 0 && given[0] != "":
			values[name] = given
		}
	}
	for _, a := range command.Args {
		put(a.Name)
	}
	for _, f := range command.Flags {
		put(f.Name)
		if len(values[f.Name]) == 0 && f.Default != "" {
			values[f.Name] = []string{f.Default}
		}
	}
	for name := range in.files {
		values[name] = []string{"FILE"}
	}
	a := answer{Status: http.StatusOK, Header: http.Header{}, Call: shownCommand(command, values)}
	remove, err := p.writeFiles(in.files, values)
	if err != nil {
		return a, err
	}
	defer remove()
	err = command.Check(values)
	typed := &module.Input{Values: values, Progress: func(module.Progress) {}}
	if err == nil && command.Refuse != nil {
		err = command.Refuse(v.Request.Context(), typed)
	}
	var result any
	if err == nil {
		result, err = command.Run(v.Request.Context(), typed)
	}
	var refused *module.CommandError
	switch {
	case errors.As(err, &refused):
		a.Status, a.Text = http.StatusBadRequest, refused.Sentences()
		if refused.Failure == module.NotFound {
			a.Status = http.StatusNotFound
		}
		return a, nil
	case err != nil:
		return a, err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return a, err
	}
	a.Text = string(text)
	return a, json.Unmarshal(text, &a.Value)
}

func (p *Pages) command(path string) (module.Command, bool) {
	for _, c := range p.o.Commands() {
		if c.Path == path {
			return c, true
		}
	}
	return module.Command{}, false
}

// shownCommand is the line that does the same; secrets are left for the reader.
func shownCommand(c module.Command, values map[string][]string) Shown {
	line := "stoa " + c.Path
	for _, a := range c.Args {
		for _, value := range values[a.Name] {
			line += " " + shellWord(value)
		}
	}
	for _, f := range c.Flags {
		for _, value := range values[f.Name] {
			switch {
			case value == f.Default || strings.Contains(f.Name, "password"):
			case f.Kind == module.Bool:
				line += " --" + f.Name
			default:
				line += " --" + f.Name + " " + shellWord(value)
			}
		}
	}
	return Shown{Line: line}
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
