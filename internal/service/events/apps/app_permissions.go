package apps

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// The levels of a permission; write includes read.
const (
	read  = "read"
	write = "write"
)

// permissions are the scopes behind what was written as NAME:LEVEL, with what they
// include, sorted.
func (a *Apps) permissions(written []string) ([]string, error) {
	var declared []string
	for _, s := range a.host.Identity.GrantableScopes(a.service) {
		declared = append(declared, s.Name)
	}
	out := []string{forge.ScopeMetadataRead}
	for _, text := range written {
		name, level, _ := strings.Cut(text, ":")
		known := slices.Contains(declared, name+":"+read) || slices.Contains(declared, name+":"+write)
		if !known || level != read && level != write {
			return nil, refusal.Invalid("permissions", "%q is not a permission of apps", text)
		}
		out = append(out, name+":"+read)
		if level == write {
			out = append(out, name+":"+write)
		}
	}
	out = slices.DeleteFunc(out, func(s string) bool { return !slices.Contains(declared, s) })
	slices.Sort(out)
	return slices.Compact(out), nil
}

// narrowed are the scopes of a token that asks for some permissions of the app.
func (a *Apps) narrowed(app App, asked map[string]string) ([]string, error) {
	if len(asked) == 0 {
		return app.Permissions, nil
	}
	var written []string
	for name, level := range asked {
		written = append(written, name+":"+level)
	}
	scopes, err := a.permissions(written)
	if err != nil {
		return nil, err
	}
	for _, s := range scopes {
		if !slices.Contains(app.Permissions, s) {
			return nil, refusal.Invalid("permissions", "The permissions requested are not granted to this installation.")
		}
	}
	return scopes, nil
}

// permissionsToWire are scopes in the words of apps.
func permissionsToWire(scopes []string) map[string]string {
	out := map[string]string{}
	for _, s := range scopes {
		name, level, _ := strings.Cut(s, ":")
		if out[name] != write {
			out[name] = level
		}
	}
	return out
}
