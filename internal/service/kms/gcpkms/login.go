//go:build !small

package gcpkms

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
)

// token gets a token of the configured service account, or of the machine's
// default credentials.
func (k *Key) token(ctx context.Context, forceRefresh bool) (string, error) {
	if k.tokens == nil || forceRefresh {
		found, err := k.find()
		if err != nil {
			return "", err
		}
		k.tokens = found
	}
	t, err := k.tokens.Token(ctx)
	if err != nil {
		return "", err
	}
	return t.Value, nil
}

// find reads the credentials. Only for the metadata server of the machine the
// library has a client of its own, so the gate is asked before.
func (k *Key) find() (auth.TokenProvider, error) {
	if k.config.CredentialsFile != "" {
		return k.serviceAccount()
	}
	if err := k.gate.Check(k.config.Endpoint); err != nil {
		return nil, err
	}
	return credentials.DetectDefault(&credentials.DetectOptions{
		Scopes: []string{scope}, Client: k.client.LoginClient(), DisableAsyncRefresh: true,
	})
}

// serviceAccount reads the key file of a service account. No other kind of file
// is accepted: those name addresses that would be called. The library's own reader
// renews tokens in the background, on no caller's context.
func (k *Key) serviceAccount() (auth.TokenProvider, error) {
	text, err := os.ReadFile(k.config.CredentialsFile)
	if err != nil {
		return nil, err
	}
	var account struct {
		Type       string `json:"type"`
		Email      string `json:"client_email"`
		KeyID      string `json:"private_key_id"`
		PrivateKey string `json:"private_key"`
		TokenURI   string `json:"token_uri"`
	}
	if json.Unmarshal(text, &account) != nil || account.Type != "service_account" {
		return nil, errors.New("the credentials file is not that of a service account")
	}
	tokens, err := auth.New2LOTokenProvider(&auth.Options2LO{
		Email: account.Email, PrivateKey: []byte(account.PrivateKey), PrivateKeyID: account.KeyID,
		TokenURL: account.TokenURI, Scopes: []string{scope}, Client: k.client.LoginClient(),
	})
	if err != nil {
		return nil, err
	}
	return auth.NewCachedTokenProvider(tokens, &auth.CachedTokenProviderOptions{DisableAsyncRefresh: true}), nil
}
