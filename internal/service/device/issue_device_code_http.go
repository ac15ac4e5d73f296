package device

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleCode(w http.ResponseWriter, r *route.Request) error {
	form, err := oauth.ReadForm(r)
	if err != nil {
		return err
	}

	client, scopes := oauth.ReadClient(r, form), strings.Fields(form.Get("scope"))

	code, err := s.RequestCode(r.Context(), clientaddr.Network(r.Request), client.ID, scopes)
	if err != nil {
		return err
	}

	oauth.NoStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, codeToWire(code))
}
