package app

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route/address"
)

type rootJSON struct {
	Docs     string            `json:"docs"`
	Console  string            `json:"console"`
	Services []rootServiceJSON `json:"services"`
}

type rootServiceJSON struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Paths []string `json:"paths,omitempty"`
	Docs  string   `json:"docs"`
}

// answerRoot says what is here. A browser is led to the front page.
func (a *App) answerRoot(w http.ResponseWriter, r *http.Request, browser bool) (status int) {
	if browser {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", address.To(r.Context(), "/console"))
		w.WriteHeader(http.StatusSeeOther)
		return http.StatusSeeOther
	}
	url := a.world.URL(r.Context())
	out := rootJSON{Docs: url + "/docs/", Console: url + "/console"}
	for _, m := range a.Modules() {
		out.Services = append(out.Services, rootServiceJSON{
			Name: m.Name, Title: m.Title, Paths: m.Prefixes, Docs: url + "/docs/services/" + m.Name,
		})
	}
	writeStatus(w, http.StatusOK, out)
	return http.StatusOK
}
