package console

import (
	"net/http"

	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// handleAdministration shows a page about the installation.
func (c *Console) handleAdministration(w http.ResponseWriter, r *route.Request, v viewer) error {
	around := c.around.Load()
	name := r.PathValue("page")
	page, err := administration.Show(r.Context(), name, administration.Facts{
		World: c.world, Modules: c.modules, Settings: around.Settings, Version: around.Version, Query: r.Query(),
		Elsewhere: around.Elsewhere, Restore: around.Restore, Form: identity.FormToken(v.secret),
	})
	if err != nil {
		return err
	}
	return c.render(w, r, http.StatusOK, "servicepage", v.view(page.Title, "admin "+name, page.HTML))
}
