// Package device is the device authorization flow (service J): a device
// without a keyboard shows a short code, its user allows or denies on another
// device, and the first one polls until it has tokens.
//
//	POST /device/code                             device.code
//	POST /token                                   token
//	POST /revoke                                  revoke
//	GET  /.well-known/openid-configuration        discovery
//	GET  /.well-known/oauth-authorization-server  discovery
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
// # Where the contract is silent we decided
//
//   - J-N1: grant_type=refresh_token at /token gives a new pair. Refresh tokens
//     rotate: the answer holds a new one, the old one ends, and if a copy of it
//     is used every token of the grant ends (RFC 9700). The client secret may be
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
//   - A scope may be written in full or by its short name. A client may ask for
//     the scopes it was registered with, of any service; one that was registered
//     with none, for those listed in the contract. Any other is 400
//     invalid_scope. Scopes that only the operator gives are neither registered
//     nor asked for, and discovery does not list them.
package device
