package device

import (
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleCode(w http.ResponseWriter, r *route.Request) error {
	form, err := readForm(r)
	if err != nil {
		return err
	}

	code, err := s.RequestCode(r.Context(), readClient(r, form).ID, strings.Fields(form.Get("scope")))
	if err != nil {
		return err
	}

	noStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, codeToWire(code))
}

func (s *Service) handleToken(w http.ResponseWriter, r *route.Request) error {
	form, err := readForm(r)
	if err != nil {
		return err
	}
	client := readClient(r, form)

	var tokens identity.Tokens
	switch grantType := GrantType(form.Get("grant_type")); grantType {
	case GrantDevice:
		tokens, err = s.Token(r.Context(), client, form.Get("device_code"))
	case GrantRefresh:
		tokens, err = s.Refresh(r.Context(), client, form.Get("refresh_token"), strings.Fields(form.Get("scope")))
	case "":
		err = errRequest("grant_type is missing")
	default:
		err = &Error{Code: CodeUnsupported, Description: "Invalid grant_type"}
	}
	if err != nil {
		return err
	}

	noStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, s.tokensToWire(tokens))
}

// handleRevoke also takes the token from the query, where clients of the
// public service send it.
func (s *Service) handleRevoke(w http.ResponseWriter, r *route.Request) error {
	token := r.URL.Query().Get("token")
	if token == "" {
		form, err := readForm(r)
		if err != nil {
			return err
		}
		token = form.Get("token")
	}

	if err := s.Revoke(r.Context(), token); err != nil {
		return err
	}

	noStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, struct{}{})
}

func (s *Service) handleDiscovery(w http.ResponseWriter, r *route.Request) error {
	base := s.world.URL()
	if r.TLS != nil {
		base = "https://" + r.Host
	}

	document := s.discovery(base)

	w.Header().Set("Cache-Control", "public, max-age=60")
	return wire.WriteJSON(w, r.Request, http.StatusOK, document)
}

// readForm refuses repeated parameters (RFC 6749 section 3.2).
func readForm(r *route.Request) (url.Values, error) {
	form, err := wire.ReadForm(r.Request)
	if err != nil {
		return nil, err
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, errRequest(name + " is given more than once")
		}
	}
	return form, nil
}

// readClient takes the credentials from the Authorization header or the form.
func readClient(r *route.Request, form url.Values) Client {
	if id, secret, ok := r.BasicAuth(); ok {
		// The header carries form-encoded values (RFC 6749 section 2.3.1).
		return Client{ID: unescape(id), Secret: unescape(secret), Basic: true}
	}
	return Client{ID: form.Get("client_id"), Secret: form.Get("client_secret")}
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// noStore keeps tokens out of caches (RFC 6749 section 5.1).
func noStore(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
}
