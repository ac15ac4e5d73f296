package device

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/signing"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleUserInfo(w http.ResponseWriter, r *route.Request) error {
	info, err := s.UserInfo(r.Context(), identity.From(r))
	if err != nil {
		return err
	}

	oauth.NoStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, info)
}

// handleTokenInfo takes the token from the query, where clients of the public
// service send it, or from a form.
func (s *Service) handleTokenInfo(w http.ResponseWriter, r *route.Request) error {
	values := r.Query()
	if r.Method == http.MethodPost {
		var err error
		if values, err = oauth.ReadForm(r); err != nil {
			return err
		}
	}
	access, id := values.Get("access_token"), values.Get("id_token")

	var info tokenInfo
	var err error
	switch {
	case access != "" && id == "":
		info, err = s.AccessTokenInfo(r.Context(), access)
	case id != "" && access == "":
		info, err = s.IDTokenInfo(r.Context(), id)
	default:
		err = oauth.BadRequest("send either access_token or id_token")
	}
	if err != nil {
		return err
	}

	oauth.NoStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, info)
}

// keysJSON is a set of keys (RFC 7517 section 5).
type keysJSON struct {
	Keys []signing.PublicKey `json:"keys"`
}

// handleKeys publishes what verifies id tokens. A key signs a day after it is
// published, so clients may keep the list for an hour.
func (s *Service) handleKeys(w http.ResponseWriter, r *route.Request) error {
	keys, err := s.keys.Public(r.Context())
	if err != nil {
		return err
	}

	w.Header().Set("Cache-Control", "public, max-age=3600")
	return wire.WriteJSON(w, r.Request, http.StatusOK, keysJSON{Keys: keys})
}
