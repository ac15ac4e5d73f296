package console

import (
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

type sessionsBody struct {
	Sessions []identity.Session
	Current  int64
	Notice   string
}

func (c *Console) handleSessions(w http.ResponseWriter, r *route.Request, v viewer) error {
	list, err := c.identity.Sessions(r.Context(), v.user.ID)
	if err != nil {
		return err
	}
	body := sessionsBody{Sessions: list, Current: v.session.ID}
	if r.Query().Get("changed") == "password" {
		body.Notice = "Password changed. All other sessions have ended."
	}
	return c.render(w, r, http.StatusOK, "sessions", v.view("Sessions", "sessions", body))
}

func (c *Console) handleEndSession(w http.ResponseWriter, r *route.Request, v viewer) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	if err := c.identity.EndSession(r.Context(), v.user.ID, id); err != nil {
		return err
	}
	return redirect(w, r, "/console/sessions")
}

func (c *Console) handleEndOthers(w http.ResponseWriter, r *route.Request, v viewer) error {
	if err := c.identity.EndSessions(r.Context(), v.user.ID, v.session.ID); err != nil {
		return err
	}
	return redirect(w, r, "/console/sessions")
}

// browserName names the browser and the system of a user agent. More special names
// come first: most browsers claim to be others as well.
func browserName(agent string) string {
	find := func(names [][2]string) string {
		for _, n := range names {
			if strings.Contains(agent, n[0]) {
				return n[1]
			}
		}
		return ""
	}
	program := find([][2]string{
		{"Edg", "Edge"}, {"OPR", "Opera"}, {"Firefox", "Firefox"}, {"Chrome", "Chrome"}, {"Safari", "Safari"},
		{"curl", "curl"},
	})
	system := find([][2]string{
		{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS", "macOS"},
		{"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	switch {
	case program == "":
		return "Unknown browser"
	case system == "":
		return program
	}
	return program + " on " + system
}

// pathID reads {id}; what is not a number is not found.
func pathID(r *route.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, &identity.NotFoundError{What: "entry", Name: r.PathValue("id")}
	}
	return id, nil
}
