// Package analytics is the analytics API v4 (service K): projects, listings,
// map rank tracking and two OAuth flows of its own.
//
//	POST /dag/device/code        dag.device.code
//	POST /dag/device/token       dag.device.token
//	GET  /dag/auth/verify_code   dag.auth.verifyCode
//	GET  /oauth2/authorize       oauth2.authorize
//	GET  /oauth2/success         oauth2.success
//	POST /oauth2/access_token    oauth2.accessToken
//	     /apis/v4/…              data, with a bearer token
//
// There are two envelopes and so two muxes. The OAuth endpoints answer errors
// as RFC 6749 section 5.2 says, {"error":…,"error_description":…}, with the
// statuses of the device contract (J):
//
//	pending          428 authorization_pending
//	polled too soon  403 slow_down
//	denied           403 access_denied
//	expired          400 expired_token
//	unknown, reused  400 invalid_grant
//	wrong client     401 invalid_client
//	policy           400 admin_policy_enforced
//	internal client  403 org_internal
//	too many codes   403 {"error_code":"rate_limit_exceeded"}
//
// Data answers {"meta":{"success","status_code","request_id"}} with either data
// or {"error":{"code","message","details"}}. Whatever lies below /apis/v4 asks
// for a token first and only then tells what is there.
//
// # Where the contract is silent we decided
//
//   - K-N5: a refresh token of the device grant is exchanged at
//     /oauth2/access_token like any other. It belongs to no client, so client_id
//     and client_secret may be left out; if they are sent they must be right.
//     /dag/device/token takes the device grant only.
//   - K-N6: both OAuth endpoints answer errors in the form of RFC 6749.
//     /oauth2/authorize tells the user, as a page, when the client or the address
//     is wrong, because such an address must not be gone to; every other error
//     goes to the redirect address. A caller that does not accept HTML gets the
//     same as JSON. Both dag requests are forms; the first may be empty. A
//     client_id may be sent with them and then binds the codes to that client.
//   - K-N7: a refresh token dies when it is used. If it is used again, somebody
//     holds a copy, and every token of the grant ends (RFC 9700). The access token
//     before a refresh lives to its own end.
//   - Scopes are separated by spaces or commas. Without one the grant is for
//     user.id.
//   - A proof key (RFC 7636, S256 only) is accepted everywhere and required of
//     clients that cannot keep a secret.
//   - redirect_uri is compared to the letter with those registered. A registered
//     path, such as /oauth2/success, leads to this server.
//   - One address may start 600 device flows a minute.
package analytics
