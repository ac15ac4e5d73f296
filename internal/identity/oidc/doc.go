// Package oidc signs users in at an OpenID Connect provider of the operator's
// choice, such as the directory of a closed network. Stoa is the relying party
// here; the provider that Stoa itself is for applications is service J.
//
// # The flow
//
// Authorization code with proof key, state and nonce (OpenID Connect Core 3.1, RFC
// 7636, RFC 9700). The browser keeps the state in a sealed cookie; proof key and
// nonce are derived from it with a key of this installation, so that no secret
// leaves the server before it has to and several tabs do not disturb each other.
// Id tokens are verified by github.com/coreos/go-oidc: signature under a published
// key, issuer, audience, expiry on the world's clock; the nonce, the authorized
// party and the issuer of the answer (RFC 9207) are checked here. What the id token
// does not say is asked of userinfo, whose subject has to be the same.
//
// # The connection
//
// Every call goes through the world's outbound gate, has ten seconds, follows no
// redirect and reads at most one mebibyte. The issuer and what its discovery names are
// https, or plain http on loopback. While the server is offline a provider beyond
// loopback is turned off: nothing is called and the sign-in page does not offer it.
//
// # What it does not do
//
// It knows no user and no session: it turns the provider's answer into an Account,
// with the memberships that the configured groups stand for. Package identity makes
// the user of it, the console the session.
package oidc
