package device

import (
	"context"

	"stoa.dev/stoa/internal/identity"
)

// discoveryJSON is the metadata of RFC 8414 and of OpenID Connect Discovery.
type discoveryJSON struct {
	Issuer                      string   `json:"issuer"`
	AuthorizationEndpoint       string   `json:"authorization_endpoint"`
	DeviceAuthorizationEndpoint string   `json:"device_authorization_endpoint"`
	TokenEndpoint               string   `json:"token_endpoint"`
	UserInfoEndpoint            string   `json:"userinfo_endpoint"`
	RevocationEndpoint          string   `json:"revocation_endpoint"`
	KeysURI                     string   `json:"jwks_uri"`
	ResponseTypesSupported      []string `json:"response_types_supported"`
	ResponseModesSupported      []string `json:"response_modes_supported"`
	GrantTypesSupported         []string `json:"grant_types_supported"`
	SubjectTypesSupported       []string `json:"subject_types_supported"`
	ScopesSupported             []string `json:"scopes_supported"`
	TokenAuthMethodsSupported   []string `json:"token_endpoint_auth_methods_supported"`
	CodeChallengeMethods        []string `json:"code_challenge_methods_supported"`
	SigningAlgorithms           []string `json:"id_token_signing_alg_values_supported"`
	ClaimsSupported             []string `json:"claims_supported"`
	PromptsSupported            []string `json:"prompt_values_supported"`
	IssuerInResponses           bool     `json:"authorization_response_iss_parameter_supported"`
	RequestsSupported           bool     `json:"request_parameter_supported"`
	RequestURIsSupported        bool     `json:"request_uri_parameter_supported"`
	ClaimsParameterSupported    bool     `json:"claims_parameter_supported"`
}

func (s *Service) discovery(ctx context.Context, base string) discoveryJSON {
	scopes := []string{}
	for _, scope := range s.identity.GrantableScopes(identity.AllServices) {
		scopes = append(scopes, s.identity.Full(ctx, scope.Name))
	}
	return discoveryJSON{
		Issuer:                      base,
		AuthorizationEndpoint:       base + authorizePath,
		DeviceAuthorizationEndpoint: base + "/device/code",
		TokenEndpoint:               base + "/token",
		UserInfoEndpoint:            base + userInfoPath,
		RevocationEndpoint:          base + "/revoke",
		KeysURI:                     base + keysPath,
		ResponseTypesSupported:      []string{"code"},
		ResponseModesSupported:      []string{"query"},
		GrantTypesSupported:         []string{string(GrantCode), string(GrantDevice), string(GrantRefresh)},
		SubjectTypesSupported:       []string{"public"},
		ScopesSupported:             scopes,
		TokenAuthMethodsSupported:   []string{"client_secret_post", "client_secret_basic", "none"},
		CodeChallengeMethods:        []string{"S256"},
		SigningAlgorithms:           []string{"RS256"},
		ClaimsSupported: []string{
			"aud", "auth_time", "azp", "at_hash", "email", "email_verified", "exp", "groups", "iat", "iss", "name", "nonce",
			"preferred_username", "sub",
		},
		PromptsSupported:  []string{promptNone, promptLogin, promptConsent, promptAccount},
		IssuerInResponses: true,
	}
}
