package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// Bounds of environment variables.
const (
	maxVariableName  = 300
	maxVariableValue = 32 << 10
	maxVariables     = 500
)

// Variable is an environment variable as answers show it: the value masked.
type Variable struct{ Name, Masked string }

// mask shows the last four characters of a value that has enough others.
func mask(value string) string {
	if len(value) < 8 {
		return "xxxx"
	}
	return "xxxx" + strings.ToValidUTF8(value[len(value)-4:], "")
}

// IsVariable reports whether a shell can have a variable of the name.
func IsVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxVariableName
}

// associated binds a sealed value to its place, so that rows cannot be swapped.
func associated(repoID int64, name string) []byte {
	return []byte(strconv.FormatInt(repoID, 10) + "/" + name)
}

func (p *Projects) seal(repoID int64, name string, plain []byte) []byte {
	return p.world.Seal.For(p.service).Seal(plain, associated(repoID, name))
}

func (p *Projects) unseal(repoID int64, name string, sealed []byte) ([]byte, error) {
	plain, err := p.world.Seal.For(p.service).Open(sealed, associated(repoID, name))
	if err != nil {
		return nil, fmt.Errorf("secret %s of project %d: %w", name, repoID, err)
	}
	return plain, nil
}

// SetVariable adds or replaces a variable.
func (p *Projects) SetVariable(ctx context.Context, r forge.Repository, name, value string) (Variable, error) {
	switch {
	case !IsVariable(name):
		return Variable{}, errInvalid("name must be letters, digits and _ and must not start with a digit, not %s",
			refusal.Quote(name))
	case len(value) > maxVariableValue || strings.ContainsRune(value, 0):
		return Variable{}, errInvalid("value must be text of at most 32 kB without NUL")
	}
	sealed := p.seal(r.ID, name, []byte(value))
	err := p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		all, err := listVariables(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if len(all) >= maxVariables && !slices.ContainsFunc(all, func(v variable) bool { return v.name == name }) {
			return errInvalid("a project has at most %d variables", maxVariables)
		}
		return upsertVariable(ctx, tx, r.ID, variable{name, sealed}, p.now())
	})
	return Variable{name, mask(value)}, err
}

// Variables lists the variables of a project by name.
func (p *Projects) Variables(ctx context.Context, r forge.Repository) ([]Variable, error) {
	all, err := listVariables(ctx, p.world.DB, r.ID)
	if err != nil {
		return nil, err
	}
	list := make([]Variable, 0, len(all))
	for _, v := range all {
		plain, err := p.unseal(r.ID, v.name, v.sealed)
		if err != nil {
			return nil, err
		}
		list = append(list, Variable{v.name, mask(string(plain))})
	}
	return list, nil
}

// Variable finds one by its name.
func (p *Projects) Variable(ctx context.Context, r forge.Repository, name string) (Variable, error) {
	v, err := variableByName(ctx, p.world.DB, r.ID, name)
	if errors.Is(err, database.ErrNotFound) {
		return Variable{}, errNotFound("Environment variable not found")
	}
	if err != nil {
		return Variable{}, err
	}
	plain, err := p.unseal(r.ID, v.name, v.sealed)
	return Variable{v.name, mask(string(plain))}, err
}

// DeleteVariable removes one.
func (p *Projects) DeleteVariable(ctx context.Context, r forge.Repository, name string) error {
	return p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		deleted, err := deleteVariable(ctx, tx, r.ID, name)
		if err == nil && !deleted {
			return errNotFound("Environment variable not found")
		}
		return err
	})
}

// Environment is what jobs of a project find in their environment, unsealed.
func (p *Projects) Environment(ctx context.Context, repoID int64) (map[string]string, error) {
	all, err := listVariables(ctx, p.world.DB, repoID)
	if err != nil {
		return nil, err
	}
	env := make(map[string]string, len(all))
	for _, v := range all {
		plain, err := p.unseal(repoID, v.name, v.sealed)
		if err != nil {
			return nil, err
		}
		env[v.name] = string(plain)
	}
	return env, nil
}
