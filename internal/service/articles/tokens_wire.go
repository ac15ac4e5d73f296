package articles

import "stoa.dev/stoa/internal/identity/grants"

type createTokenRequest struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Code         string `json:"code"`
	CodeVerifier string `json:"code_verifier"`
}

type tokenJSON struct {
	ClientID string   `json:"client_id"`
	Scopes   []string `json:"scopes"`
	Token    string   `json:"token"`
}

func (s *Service) tokenToWire(t grants.Tokens) tokenJSON {
	out := tokenJSON{ClientID: t.Token.ClientID, Scopes: []string{}, Token: t.Access}
	for _, scope := range t.Token.Scopes {
		out.Scopes = append(out.Scopes, s.identity.Full(scope))
	}
	return out
}
