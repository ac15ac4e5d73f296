package tasks

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleListTasks(r *route.Request, userID int64) (string, any, error) {
	size, after, err := readPage[taskCursor](s, r, defaultTaskPage, maxTaskPage)
	if err != nil {
		return "", nil, err
	}
	filter, err := readFilter(r.Query())
	if err != nil {
		return "", nil, err
	}

	tasks, err := s.ListTasks(r.Context(), userID, r.PathValue("tasklist"), filter, after, size+1)
	if err != nil {
		return "", nil, err
	}

	page := s.tasksToWire(r, tasks, size)
	return page.Etag, page, nil
}

func (s *Service) handleGetTask(r *route.Request, userID int64) (string, any, error) {
	task, err := s.GetTask(r.Context(), userID, r.PathValue("tasklist"), r.PathValue("task"))
	return task.etag(), taskToWire(task, s.world.URL(r.Context())), err
}

func (s *Service) handleInsertTask(w http.ResponseWriter, r *route.Request) error {
	var in taskRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	query := r.Query()
	hidden, err := readBool(query, "hidden", false)
	if err != nil {
		return err
	}

	task, err := s.InsertTask(r.Context(), identity.From(r).UserID, r.PathValue("tasklist"),
		in.fromWire(), readPlace(query), hidden)
	if err != nil {
		return err
	}

	return s.writeTask(w, r, task)
}

func (s *Service) handlePatchTask(w http.ResponseWriter, r *route.Request) error {
	var in taskRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}

	return s.updateTask(w, r, in.fromWire())
}

// handleUpdateTask replaces: what is not sent is cleared.
func (s *Service) handleUpdateTask(w http.ResponseWriter, r *route.Request) error {
	var in taskRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	if id := in.ID.Value; id != "" && id != r.PathValue("task") {
		return errInvalidField("id", "does not match the address")
	}

	return s.updateTask(w, r, in.fromWire().replacing())
}

func (s *Service) updateTask(w http.ResponseWriter, r *route.Request, c Change) error {
	task, err := s.UpdateTask(r.Context(), identity.From(r).UserID,
		r.PathValue("tasklist"), r.PathValue("task"), wire.IfMatch(r.Request), c)
	if err != nil {
		return err
	}
	return s.writeTask(w, r, task)
}

func (s *Service) handleMoveTask(w http.ResponseWriter, r *route.Request) error {
	place := readPlace(r.Query())

	task, err := s.MoveTask(r.Context(), identity.From(r).UserID, r.PathValue("tasklist"), r.PathValue("task"), place)
	if err != nil {
		return err
	}

	return s.writeTask(w, r, task)
}

func (s *Service) handleDeleteTask(w http.ResponseWriter, r *route.Request) error {
	err := s.DeleteTask(r.Context(), identity.From(r).UserID,
		r.PathValue("tasklist"), r.PathValue("task"), wire.IfMatch(r.Request))
	if err != nil {
		return err
	}

	wire.NoContent(w, http.StatusNoContent)
	return nil
}

func (s *Service) handleClear(w http.ResponseWriter, r *route.Request) error {
	if err := s.Clear(r.Context(), identity.From(r).UserID, r.PathValue("tasklist")); err != nil {
		return err
	}

	wire.NoContent(w, http.StatusNoContent)
	return nil
}
