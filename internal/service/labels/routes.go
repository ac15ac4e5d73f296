package labels

import (
	"stoa.dev/stoa/internal/platform/apifamily"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// routes is the operation table of the contract.
func (s *Service) routes() []route.Route {
	const label = "/v2/labels/{label}"
	read := func(pattern, name string, handle route.Handler) route.Route {
		return route.Route{
			Method: "GET", Pattern: pattern, Name: name, Access: route.Required, Scopes: s.anyScope(), Handle: handle,
		}
	}
	write := func(method, pattern, name string, handle route.Handler) route.Route {
		return route.Route{
			Method: method, Pattern: pattern, Name: name, Access: route.Required,
			Scopes: []string{"storage.labels", "storage.admin.labels"}, MaxBody: maxLabelBody, Handle: handle,
		}
	}
	return apifamily.Routes([]route.Route{
		{
			Method: "GET", Pattern: "/v2/limits/label", Name: "limits.getLabel",
			Access: route.Required, Scopes: s.anyScope(), Handle: s.handleGetLabel,
		},
		write("POST", "/v2/labels", "labels.create", s.handleCreateLabel),
		read("/v2/labels", "labels.list", s.handleListLabels),
		read(label, "labels.get", s.handleReadLabel),
		write("POST", label+":publish", "labels.publish", s.handleAction(s.PublishLabel)),
		write("POST", label+":disable", "labels.disable", s.handleAction(s.DisableLabel)),
		write("POST", label+":enable", "labels.enable", s.handleAction(s.EnableLabel)),
		write("DELETE", label, "labels.delete", s.handleDeleteLabel),
		read("/v2/users/{user}/capabilities", "users.getCapabilities", s.handleCapabilities),
	}, answers())
}

// answers are what the operations answer with.
func answers() map[string]any {
	return map[string]any{
		"limits.getLabel": labelLimitsJSON{}, "labels.create": labelJSON{}, "labels.list": labelsJSON{},
		"labels.get": labelJSON{}, "labels.publish": labelJSON{}, "labels.disable": labelJSON{},
		"labels.enable": labelJSON{}, "users.getCapabilities": capabilitiesJSON{},
	}
}

func (s *Service) muxOptions() route.Options {
	return apifamily.Options(s.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   writeError,
		Extract:      credential.Bearer(),
		Authenticate: s.identity.ScopedAuthenticator(Name, s.anyScope()...),
		Gate:         gate(s.world.Limits, s.perMinute()),
	}))
}

// anyScope names the four scopes as they stand in the registry.
func (s *Service) anyScope() []string {
	var names []string
	for _, scope := range scopes() {
		names = append(names, scope.Name)
	}
	return names
}
