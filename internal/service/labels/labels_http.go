package labels

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

const (
	defaultPage = 50
	maxPage     = 200
	// maxLabelBody is above what the largest label needs.
	maxLabelBody = 1 << 20
)

// viewer says who asks. Administrators' access is for administrators, and for tokens
// with a scope for it.
func (s *Service) viewer(r *route.Request, asAdmin bool) (Viewer, error) {
	caller := identity.From(r)
	v := Viewer{UserID: caller.UserID}
	if !asAdmin {
		return v, nil
	}
	u, err := s.identity.User(r.Context(), caller.UserID)
	if err != nil {
		return v, err
	}
	scoped := caller.HasScope("storage.admin.labels") ||
		r.Method == http.MethodGet && caller.HasScope("storage.admin.labels.readonly")
	if !u.Admin || !scoped {
		return v, errDenied("useAdminAccess is for administrators with a scope for it")
	}
	v.Admin = true
	return v, nil
}

// queryViewer is viewer for operations that ask in the query.
func (s *Service) queryViewer(r *route.Request) (Viewer, error) {
	asAdmin, err := readBool(r, "useAdminAccess")
	if err != nil {
		return Viewer{}, err
	}
	return s.viewer(r, asAdmin)
}

func readBool(r *route.Request, name string) (bool, error) {
	switch r.Query().Get(name) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, errInvalidField(name, "%s must be true or false", name)
}

func (s *Service) handleCreateLabel(w http.ResponseWriter, r *route.Request) error {
	var in labelRequest
	if err := wire.ReadJSON(r.Request, &in, wire.DisallowUnknown()); err != nil {
		return err
	}
	kind := Type(in.Type)
	if kind != Shared && kind != Admin {
		return errInvalidField("labelType", "must be SHARED or ADMIN")
	}
	v, err := s.queryViewer(r)
	if err != nil {
		return err
	}

	l, err := s.CreateLabel(r.Context(), v, kind, Definition{Properties: in.Properties, Fields: in.Fields})
	if err != nil {
		return err
	}

	return writeJSON(w, r, labelToWire(v, l))
}

// labelID is the id in the path, with or without its only revision.
func labelID(r *route.Request) string {
	id, at, _ := strings.Cut(r.PathValue("label"), "@")
	if at != "" && at != revision && at != "latest" && at != "published" {
		return "@" // no id is like that
	}
	return id
}

func (s *Service) handleReadLabel(w http.ResponseWriter, r *route.Request) error {
	v, err := s.queryViewer(r)
	if err != nil {
		return err
	}
	l, err := s.FindLabel(r.Context(), v, labelID(r))
	if err != nil {
		return err
	}
	return writeJSON(w, r, labelToWire(v, l))
}

func (s *Service) handleListLabels(w http.ResponseWriter, r *route.Request) error {
	v, err := s.queryViewer(r)
	if err != nil {
		return err
	}
	publishedOnly, err := readBool(r, "publishedOnly")
	if err != nil {
		return err
	}
	size, err := pageSize(r)
	if err != nil {
		return err
	}

	// The token is the last id of a page; it opens nothing that the caller may not see.
	list, next, err := s.ListLabels(r.Context(), v, publishedOnly, r.Query().Get("pageToken"), size)
	if err != nil {
		return err
	}

	out := labelsJSON{Labels: []labelJSON{}, NextPageToken: next}
	for _, l := range list {
		out.Labels = append(out.Labels, labelToWire(v, l))
	}
	return writeJSON(w, r, out)
}

func pageSize(r *route.Request) (int, error) {
	text := r.Query().Get("pageSize")
	if text == "" || text == "0" {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errInvalidField("pageSize", "must be a whole number")
	}
	return min(n, maxPage), nil
}

// handleAction is publish, disable or enable.
func (s *Service) handleAction(act func(context.Context, Viewer, string) (Label, error)) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		var in actionRequest
		if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty(), wire.DisallowUnknown()); err != nil {
			return err
		}
		v, err := s.viewer(r, in.UseAdminAccess)
		if err != nil {
			return err
		}
		l, err := act(r.Context(), v, labelID(r))
		if err != nil {
			return err
		}
		return writeJSON(w, r, labelToWire(v, l))
	}
}

func (s *Service) handleDeleteLabel(w http.ResponseWriter, r *route.Request) error {
	v, err := s.queryViewer(r)
	if err != nil {
		return err
	}
	if err := s.DeleteLabel(r.Context(), v, labelID(r)); err != nil {
		return err
	}
	return writeJSON(w, r, struct{}{})
}

func (s *Service) handleCapabilities(w http.ResponseWriter, r *route.Request) error {
	caller := identity.From(r)
	if who := r.PathValue("user"); who != "me" && who != strconv.FormatInt(caller.UserID, 10) {
		return errNotFound("capabilities are told to the user alone: users/me/capabilities")
	}
	u, err := s.identity.User(r.Context(), caller.UserID)
	if err != nil {
		return err
	}
	return writeJSON(w, r, capabilitiesJSON{
		CanAccessLabelManager: true, CanCreateSharedLabels: true,
		CanAdministrateLabels: u.Admin, CanCreateAdminLabels: u.Admin,
	})
}

func writeJSON(w http.ResponseWriter, r *route.Request, body any) error {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	return wire.WriteJSON(w, r.Request, http.StatusOK, body)
}
