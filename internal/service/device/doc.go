// Package device is the device authorization flow (service J): a device
// without a keyboard shows a short code, its user allows or denies on another
// device, and the first one polls until it has tokens.
//
//	POST /device/code                             device.code
//	POST /token                                   token
//	POST /revoke                                  revoke
//	GET  /.well-known/openid-configuration        discovery
//	GET  /.well-known/oauth-authorization-server  discovery
//	GET  /o/oauth2/v2/auth, /o/oauth2/auth        authorize
//	POST /o/oauth2/v2/auth                        authorize.form
//	GET  /v1/userinfo, /oauth2/v3/userinfo        userinfo (also POST at the first)
//	GET  /tokeninfo                               tokeninfo (also POST)
//	GET  /oauth2/v3/certs                         certs
//
// Requests are forms, answers JSON. The state machine is identity's; this
// package says its facts in the words of the contract:
//
//	pending          428 authorization_pending   Precondition Required
//	polled too soon  403 slow_down               Forbidden
//	denied           403 access_denied           Forbidden
//	expired          400 expired_token
//	unknown, reused  400 invalid_grant
//	wrong client     401 invalid_client
//	policy           400 admin_policy_enforced
//	internal client  403 org_internal
//
// Errors are {"error":…,"error_description":…}, except that a client which asks
// for too many codes gets 403 {"error_code":"rate_limit_exceeded"}.
//
// # OpenID Connect
//
// The contract knows the device flow alone. Beside it the same server issues
// authorization codes with proof keys (RFC 6749, RFC 7636) and signs users in to
// applications (OpenID Connect Core): a grant with the scope openid comes with an id
// token, signed under RS256 with a key of package signing. Its issuer is the address
// that was asked, its subject the user's id, its audience the client. profile adds
// name and preferred_username, email adds email and email_verified, which is true:
// addresses are the operator's to give. groups adds groups: the user's organizations
// and teams as org/NAME and team/NAME, at most a hundred.
//
//   - Clients of type web have a secret and prove themselves with it; those of type
//     device, which installed applications are too, cannot keep one: they may leave
//     it out and must send a proof key. Only S256 is taken.
//   - redirect_uri is compared to the letter with those registered, at both ends of
//     the flow. A client of type device that registered http on loopback without a
//     port may come back on any port (RFC 8252 section 7.3).
//   - Codes live ten minutes and are redeemed once; a second try ends the tokens of
//     the first. A refresh token always comes with them, whatever access_type says.
//   - The user is always asked, so prompt=none is login_required or consent_required.
//     prompt=login, select_account and max_age ask for a new sign-in. Refusals are
//     shown to the user with a link to the application (RFC 9700 section 4.11.2);
//     answers carry iss (RFC 9207). Request objects and other response modes than
//     query are refused; include_granted_scopes adds nothing: scope in the answer
//     says what was granted.
//   - Id tokens live as long as the access token. A refresh gives a new one without
//     nonce and auth_time. tokeninfo tells about tokens that were issued here.
//   - The device grant asks for the client's secret, as the contract says, although
//     discovery lists the method none, which the other two grants take.
//
// # Where the contract is silent we decided
//
//   - J-N1: grant_type=refresh_token at /token gives a new access token. Refresh
//     tokens do not rotate, because the contract lets them live until the user
//     revokes access or they expire: the answer repeats the one that was sent, and
//     refresh_token_expires_in, where access is limited in time, is what is left of
//     it. An access token does not outlive that, and of a grant's
//     the newest 1,000 are good. The client secret may be
//     left out, because devices cannot keep one, but a wrong one is refused.
//     /revoke (RFC 7009) ends the token and everything from the same grant, and
//     answers 200 for unknown tokens too.
//   - J-N2: org_internal means that the client is marked internal and the user is
//     not a member of its organization.
//   - J-N3: one network may ask for 600 codes of a client a minute
//     (codes_per_minute) and for 300 in all (codes_per_network), all networks for
//     a hundred times the first, so that one network that knows a client's id
//     cannot use up the budget of the others. A network may make 6000 requests a
//     minute to each other operation (requests_per_minute).
//   - J-N4: no events are emitted. Members are only ever added to answers.
//   - J-N5: a poll after expiry is 400 expired_token, the word of RFC 8628.
//   - J-N6: the rate_limit_exceeded body has no other member; Retry-After says
//     when to come back. Missing or repeated parameters are 400 invalid_request,
//     an unknown scope is 400 invalid_scope, a wrong secret 401 invalid_client,
//     a grant_type that is unknown is refused before the client is looked at.
//   - J-N7: the page is /device on the common listener and is sent as
//     verification_url and, for clients of RFC 8628, as verification_uri. The
//     discovery document lies at both well-known addresses; its issuer is the
//     address it was asked at.
//   - J-N8: a decision is told at once, even to a poll that comes too early. An
//     interval counts from the last poll that was not too early, a poll may come
//     a fifth of the interval early, and two within a second that send the
//     client's credentials in different ways count as one: some clients try both.
//   - A scope may be written in full, with the server's own base or the configured
//     one, or by its short name; in the sdk dialect as the vendor writes it. The
//     scope member of an answer repeats the spelling that was asked for. A client may ask for
//     the scopes it was registered with, of any service; one that was registered
//     with none, for those listed in the contract. Any other is 400
//     invalid_scope. Scopes that only the operator gives are neither registered
//     nor asked for, and discovery does not list them.
package device
