package identity

import (
	"context"
	"maps"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/wire"
)

// registry is an immutable snapshot of what the services declare.
type registry struct {
	services map[string]module.Module
	scopes   map[string]Scope
	// operator names the scopes that only the operator grants.
	operator []string
}

// Register declares services: their scopes, and the formats of their credentials. Two
// services may share a scope of the same name. Registering a service again replaces
// what it declared.
func (i *Identity) Register(modules ...module.Module) {
	i.registryMu.Lock()
	defer i.registryMu.Unlock()
	next := &registry{services: maps.Clone(i.registry.Load().services), scopes: map[string]Scope{}}
	if next.services == nil {
		next.services = map[string]module.Module{}
	}
	for _, m := range modules {
		next.services[m.Name] = m
	}
	for _, m := range next.services {
		for _, s := range m.Scopes {
			// A scope of several services is the operator's if it is for one.
			s.Operator = s.Operator || next.scopes[s.Name].Operator
			next.scopes[s.Name] = s
		}
	}
	for name, s := range next.scopes {
		if s.Operator {
			next.operator = append(next.operator, name)
		}
	}
	i.registry.Store(next)
	i.forgetAll()
}

// AllScopes lists the declared scopes of a service in the order of
// declaration; of every service, sorted by name, when service is AllServices.
func (i *Identity) AllScopes(service string) []Scope {
	r := i.registry.Load()
	if service != AllServices {
		return slices.Clone(r.services[service].Scopes)
	}
	names := slices.Sorted(maps.Keys(r.scopes))
	all := make([]Scope, len(names))
	for j, n := range names {
		all[j] = r.scopes[n]
	}
	return all
}

// Expand finds the declared scope behind what a client wrote: the short name,
// the full <scope base>/auth/NAME, or the dialect's spelling of either.
func (i *Identity) Expand(ctx context.Context, written string) (Scope, error) {
	r := i.registry.Load()
	if s, ok := r.scopes[i.neutral(written)]; ok {
		return s, nil
	}
	if short, ok := i.cutBase(ctx, written); ok {
		if s, ok := r.scopes[i.neutral(short)]; ok && s.Based {
			return s, nil
		}
	}
	return Scope{}, &InvalidError{"scope", quoted(written) + " is not known"}
}

// Full is the scope as answers print it: <scope base>/auth/NAME for based
// scopes, the bare name for others and for names that no service declared.
func (i *Identity) Full(ctx context.Context, name string) string {
	if s, ok := i.registry.Load().scopes[name]; ok && s.Based {
		return i.o.ScopeBase(ctx) + authSegment + i.spelled(name)
	}
	return i.spelled(name)
}

// Spelled is how answers repeat the scopes of a token: as the application asked for
// them; in full for tokens that were not asked for.
func (i *Identity) Spelled(ctx context.Context, t Token) []string {
	if len(t.Asked) > 0 {
		return slices.Clone(t.Asked)
	}
	spelled := make([]string, len(t.Scopes))
	for j, name := range t.Scopes {
		spelled[j] = i.Full(ctx, name)
	}
	return spelled
}

// GrantableScopes is AllScopes without those that only the operator gives.
func (i *Identity) GrantableScopes(service string) []Scope {
	return slices.DeleteFunc(i.AllScopes(service), func(s Scope) bool { return s.Operator })
}

// IssuedKinds are the kinds of credentials that users make for a service themselves.
func (i *Identity) IssuedKinds(service string) []Kind {
	return i.registry.Load().services[service].Issued(KindPersonal)
}

// OperatorOnly reports whether only the operator issues credentials of the service, as all its scopes are.
func (i *Identity) OperatorOnly(service string) bool {
	return len(i.AllScopes(service)) > 0 && len(i.GrantableScopes(service)) == 0
}

// expandAll expands what was written, leaves out repetitions and refuses scopes that none of the
// services declared, and those that are not the issuer's to give.
func (i *Identity) expandAll(ctx context.Context, services, written []string, operator bool) ([]string, error) {
	r := i.registry.Load()
	out := make([]string, 0, len(written))
	for _, w := range written {
		s, err := i.Expand(ctx, w)
		if err != nil {
			return nil, err
		}
		if !r.declares(services, s.Name) {
			return nil, &InvalidError{"scope", quoted(w) + " is not one of " + strings.Join(services, ", ")}
		}
		if s.Operator && !operator {
			return nil, &InvalidError{"scope", quoted(w) + " is given by the operator only, with stoa token issue"}
		}
		if !slices.Contains(out, s.Name) {
			out = append(out, s.Name)
		}
	}
	return out, nil
}

// RequestedScopes expands what an application requests of a user in a flow of the
// service. It may request the scopes that it was registered with; a client that was
// registered with none, and a flow without a client, those of the service.
func (i *Identity) RequestedScopes(ctx context.Context, c Client, service string, written []string) ([]string, error) {
	scopes, err := i.expandAll(ctx, []string{AllServices}, written, false)
	if err != nil {
		return nil, err
	}
	r := i.registry.Load()
	for _, s := range scopes {
		if len(c.Scopes) > 0 && !slices.Contains(c.Scopes, s) || len(c.Scopes) == 0 && !r.declares([]string{service}, s) {
			return nil, &InvalidError{"scope", quoted(s) + " is not one that the application was registered for"}
		}
	}
	return scopes, nil
}

func (r *registry) declares(services []string, name string) bool {
	for _, service := range services {
		if service == AllServices {
			return true
		}
		if slices.ContainsFunc(r.services[service].Scopes, func(s Scope) bool { return s.Name == name }) {
			return true
		}
	}
	return false
}

// Services lists the registered services by name.
func (i *Identity) Services() []string { return slices.Sorted(maps.Keys(i.registry.Load().services)) }

// ServicesDeclaring lists the services that declare one of the scopes.
func (i *Identity) ServicesDeclaring(scopes []string) []string {
	var services []string
	for service, m := range i.registry.Load().services {
		if slices.ContainsFunc(m.Scopes, func(s Scope) bool { return slices.Contains(scopes, s.Name) }) {
			services = append(services, service)
		}
	}
	slices.Sort(services)
	return services
}

// checkServicesKnown refuses services that are not registered. A registry without any
// service knows nothing and refuses nothing.
func (i *Identity) checkServicesKnown(services ...string) error {
	r := i.registry.Load()
	for _, s := range services {
		if _, ok := r.services[s]; !ok && s != AllServices && len(r.services) > 0 {
			return &NotFoundError{"service", s}
		}
	}
	return nil
}

// cutBase removes the scope base of the address that was asked, the configured one
// or the dialect's own.
func (i *Identity) cutBase(ctx context.Context, written string) (string, bool) {
	for _, base := range []string{i.o.ScopeBase(ctx), i.o.Address(ctx), i.o.ScopeBase(context.Background())} {
		if rest, ok := strings.CutPrefix(written, base+authSegment); ok {
			return rest, true
		}
	}
	if i.o.Dialect == nil {
		return "", false
	}
	return i.o.Dialect.CutPrefix(dialect.ScopeBase, written)
}

func (i *Identity) neutral(name string) string {
	if i.o.Dialect == nil {
		return name
	}
	name, _ = i.o.Dialect.AsNeutral(name, scopeWords()...) // unchanged when no scope is spelt so
	return name
}

func (i *Identity) spelled(name string) string {
	if i.o.Dialect == nil {
		return name
	}
	for _, w := range scopeWords() {
		if i.o.Dialect.NeutralOf(w) == name {
			return i.o.Dialect.Says(w)
		}
	}
	return name
}

// scopeWords are the scopes that the dialect may spell in another way.
func scopeWords() []dialect.Word {
	return []dialect.Word{
		dialect.ScopeLabels, dialect.ScopeLabelsReadonly, dialect.ScopeAdminLabels, dialect.ScopeAdminLabelsReadonly,
		dialect.ScopeReadSvc, dialect.ScopeReadSvcTeam, dialect.ScopeWriteSvc, dialect.ScopeWriteSvcTeam,
		dialect.ScopeVideo, dialect.ScopeVideoMemberships, dialect.ScopeVideoForceSSL, dialect.ScopeVideoReadonly,
		dialect.ScopeVideoUpload, dialect.ScopeVideoPartner, dialect.ScopeVideoPartnerAudit,
		dialect.ScopeStorageAppdata, dialect.ScopeStorageFile,
	}
}

// quoted bounds what is repeated to the caller.
func quoted(text string) string {
	return `"` + strings.ToValidUTF8(wire.Clip(text, 100), "?") + `"`
}
