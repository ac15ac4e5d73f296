package tasks

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/apifamily"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

const (
	scopeWrite = "tasks"
	scopeRead  = "tasks.readonly"

	// maxBody is above what the longest notes need in any encoding.
	maxBody = 256 << 10
)

// routes is the operation table of the contract.
func (s *Service) routes() []route.Route {
	const (
		lists = "/tasks/v1/users/@me/lists"
		list  = lists + "/{tasklist}"
		tasks = "/tasks/v1/lists/{tasklist}/tasks"
		task  = tasks + "/{task}"
	)
	read := func(pattern, name string, handle readFunc) route.Route {
		return route.Route{
			Method: "GET", Pattern: pattern, Name: name,
			Access: route.Required, Scopes: []string{scopeWrite, scopeRead}, Handle: s.cached(handle),
		}
	}
	write := func(method, pattern, name string, handle route.Handler) route.Route {
		return route.Route{
			Method: method, Pattern: pattern, Name: name,
			Access: route.Required, Scopes: []string{scopeWrite}, Handle: handle,
		}
	}
	return apifamily.Routes([]route.Route{
		write("DELETE", list, "tasklists.delete", s.handleDeleteList),
		read(list, "tasklists.get", s.handleGetList),
		write("POST", lists, "tasklists.insert", s.handleInsertList),
		read(lists, "tasklists.list", s.handleListLists),
		write("PATCH", list, "tasklists.patch", s.handlePatchList),
		write("PUT", list, "tasklists.update", s.handleUpdateList),
		write("POST", "/tasks/v1/lists/{tasklist}/clear", "tasks.clear", s.handleClear),
		write("DELETE", task, "tasks.delete", s.handleDeleteTask),
		read(task, "tasks.get", s.handleGetTask),
		write("POST", tasks, "tasks.insert", s.handleInsertTask),
		read(tasks, "tasks.list", s.handleListTasks),
		write("POST", task+"/move", "tasks.move", s.handleMoveTask),
		write("PATCH", task, "tasks.patch", s.handlePatchTask),
		write("PUT", task, "tasks.update", s.handleUpdateTask),
	}, answers())
}

func (s *Service) muxOptions() route.Options {
	return apifamily.Options(s.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   writeError,
		Extract:      credential.Bearer(),
		Authenticate: s.identity.ScopedAuthenticator(Name, scopeWrite, scopeRead),
		Gate:         s.gate,
		MaxBody:      maxBody,
	}))
}

// answers are what the operations answer with.
func answers() map[string]any {
	return map[string]any{
		"tasklists.get": listJSON{}, "tasklists.insert": listJSON{}, "tasklists.list": listsJSON{},
		"tasklists.patch": listJSON{}, "tasklists.update": listJSON{},
		"tasks.get": taskJSON{}, "tasks.insert": taskJSON{}, "tasks.list": tasksJSON{}, "tasks.move": taskJSON{},
		"tasks.patch": taskJSON{}, "tasks.update": taskJSON{},
	}
}

// gate charges the user's daily budget.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	day := limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerDay, Per: 24 * time.Hour}
	_, err := s.world.Limits.Take(r.Context(), day, r.Caller.LimitKey(), 1)
	return nil, err
}
