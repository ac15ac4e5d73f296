//go:build !small

package azurekv

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	scope = "https://vault.azure.net/.default"
	// metadataHost is where the library asks for a managed identity.
	metadataHost = "169.254.169.254"
)

// token gets a token of the configured application, or of the machine's managed
// identity.
func (k *Key) token(ctx context.Context, forceRefresh bool) (string, error) {
	if k.credential == nil || forceRefresh {
		made, err := k.newCredential()
		if err != nil {
			return "", err
		}
		k.credential = made
	}
	o := policy.TokenRequestOptions{Scopes: []string{scope}}
	if forceRefresh && k.config.TenantID == "" {
		// The cache for managed identities belongs to the process, not to the
		// credential. A request with claims does not use it.
		o.Claims = "{}"
	}
	t, err := k.credential.GetToken(ctx, o)
	switch {
	case err == nil, ctx.Err() != nil:
		return t.Token, err
	case k.config.TenantID != "":
		return "", provider.NewError(provider.Unauthenticated, err, "%s: the login was refused or did not answer",
			remote)
	}
	return "", provider.NewError(provider.Unauthenticated, err, "%s: the machine has no managed identity", remote)
}

func (k *Key) newCredential() (azcore.TokenCredential, error) {
	login, err := url.Parse(k.config.Login)
	if err != nil {
		return nil, err
	}
	identity, err := url.Parse(k.config.Identity)
	if err != nil {
		return nil, err
	}
	o := azcore.ClientOptions{
		// The library demands https; the transport uses the configured scheme.
		Cloud:     cloud.Configuration{ActiveDirectoryAuthorityHost: "https://" + login.Host},
		Transport: transport{k.client.LoginClient(), map[string]*url.URL{login.Host: login, metadataHost: identity}},
		Retry:     policy.RetryOptions{MaxRetries: -1},
	}
	if k.config.TenantID == "" {
		m := &azidentity.ManagedIdentityCredentialOptions{ClientOptions: o}
		if k.config.ClientID != "" {
			m.ID = azidentity.ClientID(k.config.ClientID)
		}
		return azidentity.NewManagedIdentityCredential(m)
	}
	secret, err := os.ReadFile(k.config.ClientSecretFile)
	if err != nil {
		return nil, provider.NewError(provider.Unauthenticated, err, "%s: the client secret cannot be read", remote)
	}
	return azidentity.NewClientSecretCredential(k.config.TenantID, k.config.ClientID, strings.TrimSpace(string(secret)),
		&azidentity.ClientSecretCredentialOptions{ClientOptions: o, DisableInstanceDiscovery: true})
}

// transport sends the library's requests through the provider's client, to the
// configured addresses.
type transport struct {
	client    *http.Client
	addresses map[string]*url.URL
}

// Do sends a request.
func (t transport) Do(r *http.Request) (*http.Response, error) {
	if to := t.addresses[r.URL.Host]; to != nil {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host = to.Scheme, to.Host, ""
	}
	return t.client.Do(r)
}
