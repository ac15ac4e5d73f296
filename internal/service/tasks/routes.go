package tasks

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

const (
	scopeWrite = "tasks"
	scopeRead  = "tasks.readonly"

	// maxBody holds the longest notes in any encoding, with room to spare.
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
	read, write := []string{scopeWrite, scopeRead}, []string{scopeWrite}
	return []route.Route{
		{Method: "DELETE", Pattern: list, Name: "tasklists.delete", Access: route.Required, Scopes: write, Handle: s.handleDeleteList},
		{Method: "GET", Pattern: list, Name: "tasklists.get", Access: route.Required, Scopes: read, Handle: s.reading(s.handleGetList)},
		{Method: "POST", Pattern: lists, Name: "tasklists.insert", Access: route.Required, Scopes: write, Handle: s.handleInsertList},
		{Method: "GET", Pattern: lists, Name: "tasklists.list", Access: route.Required, Scopes: read, Handle: s.reading(s.handleListLists)},
		{Method: "PATCH", Pattern: list, Name: "tasklists.patch", Access: route.Required, Scopes: write, Handle: s.handlePatchList},
		{Method: "PUT", Pattern: list, Name: "tasklists.update", Access: route.Required, Scopes: write, Handle: s.handleUpdateList},
		{Method: "POST", Pattern: "/tasks/v1/lists/{tasklist}/clear", Name: "tasks.clear", Access: route.Required, Scopes: write, Handle: s.handleClear},
		{Method: "DELETE", Pattern: task, Name: "tasks.delete", Access: route.Required, Scopes: write, Handle: s.handleDeleteTask},
		{Method: "GET", Pattern: task, Name: "tasks.get", Access: route.Required, Scopes: read, Handle: s.reading(s.handleGetTask)},
		{Method: "POST", Pattern: tasks, Name: "tasks.insert", Access: route.Required, Scopes: write, Handle: s.handleInsertTask},
		{Method: "GET", Pattern: tasks, Name: "tasks.list", Access: route.Required, Scopes: read, Handle: s.reading(s.handleListTasks)},
		{Method: "POST", Pattern: task + "/move", Name: "tasks.move", Access: route.Required, Scopes: write, Handle: s.handleMoveTask},
		{Method: "PATCH", Pattern: task, Name: "tasks.patch", Access: route.Required, Scopes: write, Handle: s.handlePatchTask},
		{Method: "PUT", Pattern: task, Name: "tasks.update", Access: route.Required, Scopes: write, Handle: s.handleUpdateTask},
	}
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service:      Name,
		WriteError:   writeError,
		Extract:      route.Bearer(),
		Authenticate: s.identity.Authenticator(Name),
		Gate:         s.gate,
		MaxBody:      maxBody,
		Clock:        s.world.Clock,
		IDs:          s.world.IDs,
		Memory:       s.world.Memory,
		Requests:     s.world.Requests,
		Telemetry:    s.world.Telemetry,
	}
}

// gate charges the person's day.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	day := limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerDay, Per: 24 * time.Hour}
	_, err := s.world.Limits.Take(r.Context(), day, r.Caller.LimitKey(), 1)
	return nil, err
}
