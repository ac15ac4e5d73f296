package oidc

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what a group stands for here.
type Kind string

// The kinds of memberships.
const (
	Org   Kind = "org"
	Team  Kind = "team"
	Admin Kind = "admin"
)

// Membership is what belonging to a group gives.
type Membership struct {
	Kind Kind
	// Name and Role are empty for administrators.
	Name, Role string
}

// GroupRule maps one group of the provider.
type GroupRule struct {
	Group string
	Membership
}

// roles are those that a group can give; the first is the one that need not be named.
func roles(k Kind) []string {
	switch k {
	case Org:
		return []string{"member", "owner"}
	case Team:
		return []string{"member", "admin", "owner"}
	case Admin:
	}
	return nil
}

// UnmarshalText reads GROUP=org/NAME/ROLE. Names of groups may hold equals signs, as
// those of directories do.
func (g *GroupRule) UnmarshalText(text []byte) error {
	at := strings.LastIndexByte(string(text), '=')
	if at < 1 {
		return fmt.Errorf("%q is not GROUP=org/NAME, GROUP=team/NAME or GROUP=admin", text)
	}
	group, parts := string(text[:at]), strings.Split(string(text[at+1:]), "/")
	if len(parts) == 1 && parts[0] == string(Admin) {
		*g = GroupRule{Group: group, Membership: Membership{Kind: Admin}}
		return nil
	}
	kind := Kind(parts[0])
	known := roles(kind)
	if known == nil || len(parts) < 2 || len(parts) > 3 || parts[1] == "" {
		return fmt.Errorf("%q is not GROUP=org/NAME, GROUP=team/NAME or GROUP=admin", text)
	}
	role := known[0]
	if len(parts) == 3 {
		role = parts[2]
	}
	if !slices.Contains(known, role) {
		return fmt.Errorf("the role in %q is not one of %s", text, strings.Join(known, ", "))
	}
	*g = GroupRule{Group: group, Membership: Membership{Kind: kind, Name: parts[1], Role: role}}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (g GroupRule) MarshalText() ([]byte, error) {
	if g.Kind == Admin {
		return []byte(g.Group + "=" + string(Admin)), nil
	}
	return []byte(g.Group + "=" + string(g.Kind) + "/" + g.Name + "/" + g.Role), nil
}

// memberships are what the rules give for the groups; of several roles in one place
// the strongest.
func memberships(rules []GroupRule, groups []string) []Membership {
	found := []Membership{}
	for _, rule := range rules {
		if !slices.Contains(groups, rule.Group) {
			continue
		}
		at := slices.IndexFunc(found, func(m Membership) bool {
			return m.Kind == rule.Kind && strings.EqualFold(m.Name, rule.Name)
		})
		known := roles(rule.Kind)
		switch {
		case at < 0:
			found = append(found, rule.Membership)
		case slices.Index(known, rule.Role) > slices.Index(known, found[at].Role):
			found[at].Role = rule.Role
		}
	}
	return found
}
