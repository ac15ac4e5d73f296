package identity

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
)

// Scope is one permission as a service declares it.
type Scope = module.Scope

// authSegment stands between the scope base and the name of a based scope.
const authSegment = "/auth/"

// Scopes is the set of scopes a caller holds, by the names the contracts
// print, without the scope base.
type Scopes struct {
	all bool
	// except are the scopes that all does not hold.
	except map[string]struct{}
	names  []string
	set    map[string]struct{}
}

// newScopes makes a set of the names.
func newScopes(names ...string) Scopes {
	s := Scopes{names: slices.Clone(names), set: make(map[string]struct{}, len(names))}
	for _, n := range names {
		s.set[n] = struct{}{}
	}
	return s
}

// EveryScope is held by keys without a list: they carry all rights of their
// user, which those that only the operator gives are not.
func EveryScope(except ...string) Scopes { return Scopes{all: true, except: newScopes(except...).set} }

// Has reports whether the set holds the scope, written short or in full.
func (s Scopes) Has(scope string) bool {
	if s.all {
		return !containsScope(s.except, scope)
	}
	return containsScope(s.set, scope)
}

// Lists is Has for a scope that must be named: keys without a list have none.
func (s Scopes) Lists(scope string) bool { return containsScope(s.set, scope) }

// containsScope finds a scope written short or in full.
func containsScope(set map[string]struct{}, scope string) bool {
	if _, ok := set[scope]; ok {
		return true
	}
	at := strings.LastIndex(scope, authSegment)
	if at < 0 {
		return false
	}
	_, ok := set[scope[at+len(authSegment):]]
	return ok
}

// Unlimited reports whether the set is without limits.
func (s Scopes) Unlimited() bool { return s.all }

// Names lists the scopes in the order they were granted.
func (s Scopes) Names() []string { return slices.Clone(s.names) }
