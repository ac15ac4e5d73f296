package tokens

import (
	"context"

	"stoa.dev/stoa/internal/identity/grants"
)

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

func (t *Tokens) toWire(ctx context.Context, issued grants.Tokens) tokenJSON {
	out := tokenJSON{ClientID: issued.Token.ClientID, Scopes: []string{}, Token: issued.Access}
	for _, scope := range issued.Token.Scopes {
		out.Scopes = append(out.Scopes, t.identity.Full(ctx, scope))
	}
	return out
}

// Shapes are samples of what is read and written when a code is exchanged.
func Shapes() (request, response any) { return createTokenRequest{}, tokenJSON{Scopes: []string{""}} }
