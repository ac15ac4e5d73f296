// Package device completes the authorization flows of the true binary with
// unmodified clients: golang.org/x/oauth2 (device and code flows) and
// github.com/cli/oauth here, npm openid-client and oauth4webapi in npm, and in python
// google-auth-oauthlib, requests-oauthlib and Authlib. npm oidc-provider is a provider
// at which users of a second server sign in (identity.oidc). It is a module of its own,
// so that the product does not depend on the clients it is tested with.
package device
