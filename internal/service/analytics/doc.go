// Package analytics is the analytics API v4 (service K): projects, listings,
// map rank tracking and two OAuth flows of its own.
//
//	POST /dag/device/code        dag.device.code
//	POST /dag/device/token       dag.device.token
//	GET  /dag/auth/verify_code   dag.auth.verifyCode
//	GET  /oauth2/authorize       oauth2.authorize
//	GET  /oauth2/success         oauth2.success
//	POST /oauth2/access_token    oauth2.accessToken
//
//	/apis/v4/projects/v0                                  projects.list, create, update
//	/apis/v4/projects/v0/{project_id}                     projects.get, delete
//	/apis/v4/listing-management/v1/external/locations     locations.list, updateMany
//	    …/{locationId}                                    locations.get, update
//	/apis/v4/map-rank-tracker/v0/campaigns                campaigns.list, create
//	    …/{campaignId}                                    campaigns.get, update, delete
//	    …/{campaignId}/collect                            campaigns.collect
//	    …/{campaignId}/{keywords, heatmap, metrics, top-competitors}
//	/apis/v4/map-rank-tracker/v0/limits                   limits.get
//	/docs/analytics/openapi.json                          docs.openapi
//
// There are three envelopes and so three muxes. The OAuth endpoints answer errors
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
// Projects and campaigns answer {"meta":{"success","status_code","request_id"}}
// with either data or {"error":{"code","message","details"}}: the common
// envelope. Listings answer {"data","requestId"} or {"error":{"code","message",
// "details":[{"code","message","field","index"}]},"requestId"}: the local one.
// Statuses are those of the contract's table in both, 550 for a failure of ours,
// 551 for a method that is not there, 553 for maintenance and overload, 554 for a
// request that took too long; 413 and 415 are not in the table and are 400.
// Whatever lies below /apis/v4 asks for a token first and only then tells what
// is there.
//
// A campaign's report is computed by a durable job over the places that the
// installation knows: locations with coordinates, and imported ones. The formula
// stands in package ranking. A search engine can be put in its place with Use.
//
// # Where the contract is silent we decided
//
//   - K-N1 and K-N2: paths, members and methods are those of the public reference
//     of the API that the contract describes. A project is a domain; its url is
//     required, its name is the domain unless one is given, and one user has one
//     project a domain. Updates carry the id in the body, and no other url (400). A create may carry an
//     Idempotency-Key, which a retry within a day finds, and which is new after that; of the
//     keys whose projects are deleted an owner keeps the last thousand. Locations are made by the
//     operator (stoa listings add) and changed over the API; an update must name
//     the required members, keeps absent ones and clears null ones. Locations have
//     categories, coordinates and photos besides. The business of a campaign must
//     be a known place; points lie within 100 km of the first; a heatmap without
//     cid or placeIds is about the business itself, and format=png or Accept:
//     image/png draws it. diff is the position before minus the position now.
//     Another user's project, campaign or location is 404, like one that is not there.
//   - Members that an operation does not have are refused, wherever they stand. A
//     location may be sent back as it was read, and its points too: countryCode, status
//     and errors must then be as they are, ids and indexes of points are given anew.
//     ownerEmail is the owner's address, NAME@localhost for an account without one.
//   - K-N3: for each token 10 requests a second to projects and campaigns, 10 to
//     read listings, 5 single updates a second, and 5 lists of updates a minute,
//     one at a time, of 50 locations. A list that is refused as a whole counts with
//     10 a second instead. All are settings. 429 comes with Retry-After.
//   - K-N4: there are no events and no older versions; below /apis only v4 is
//     served, which changes by addition alone.
//   - K-N8: UpdateLocations answers data, a list in the order of the request of
//     {locationId, state UPDATED or FAILED, index, error}, where error has the form
//     of the local envelope. A list that is too long, empty or names a location
//     twice is refused as a whole. Success is {meta, data, requestId}: the common
//     envelope and the local request id. Statuses that the contract shows no local
//     code for have their own: UNAUTHORIZED, FORBIDDEN, TOO_MANY_REQUESTS,
//     METHOD_NOT_SUPPORTED, SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT, INTERNAL_ERROR.
//   - K-N9: error.code of the common envelope is the HTTP status.
//   - A campaign ranks the first 20 places; one that is not among them counts as 21.
//     Share of voice weighs positions from 24 % down to 0.5 %.
//   - K-N5: a refresh token of the device grant is exchanged at
//     /oauth2/access_token like any other. It belongs to no client, so client_id
//     and client_secret may be left out; if they are sent they must be right.
//     /dag/device/token takes the device grant only.
//   - K-N6: both OAuth endpoints answer errors in the form of RFC 6749.
//     /oauth2/authorize tells the user, as a page, what is wrong. Where the client
//     registered the address the page has a link there with the error and the
//     state, which the user may follow; the browser is sent there by itself only
//     after the user's own yes or no (RFC 9700 section 4.11.2). A caller that does
//     not accept HTML gets the same as JSON. Both dag requests are forms; the first may be empty. A
//     client_id may be sent with them: a registered one binds the codes to that
//     client, any other means nothing, because the flow needs none.
//   - K-N7: a refresh token dies when it is used. For a minute (refresh_grace) the
//     same request with it gives the same pair again, because answers get lost; the
//     use of the new refresh token ends that. If the old one is used later, it was
//     copied, and every token of the grant ends (RFC 9700). The access token before
//     a refresh lives to its own end.
//   - Scopes are separated by spaces or commas. Without one the grant is for
//     user.id.
//   - A proof key (RFC 7636, S256 only) is accepted everywhere and required of
//     clients that cannot keep a secret.
//   - redirect_uri is compared to the letter with those registered: https with a
//     plain host, http on loopback, a scheme of the application's own with a dot
//     in it. A registered path, such as /oauth2/success, leads to this server. Only
//     the port of an installed application on loopback is its own choice (RFC 8252).
//   - One network (an IPv4 address, an IPv6 /64) may start 600 device flows a
//     minute, and make 6000 requests to each other operation of the token flows.
package analytics
