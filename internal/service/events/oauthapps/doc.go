// Package oauthapps lets applications act for users of the code host: the browser flow
// and the device flow in that host's words, and the operations by which an application
// looks after its tokens.
//
//	GET    /login/oauth/authorize           asks the user, and leads back with a code
//	POST   /login/oauth/access_token        exchanges a code, a device code or a refresh token
//	POST   /login/device/code               starts a device flow
//	GET    /login/device                    where the user types the code
//	POST   /applications/{client_id}/token  whether a token is good, and whose it is
//	PATCH  …/token                          replaces it
//	DELETE …/token, …/grant                 ends it, or all that the user gave
//
// Answers of the flows are forms, and JSON for who accepts that; refusals have the
// status 200 and a member error, as clients of this host expect. Applications are
// identity's clients: the device flow is for those of type device, and tokens of apps
// (type app) last eight hours and come with a refresh token.
//
// Scopes are written in the host's older words (repo, user, read:org …), each of which
// stands for several permissions, or as permissions (contents:read). Words that are not known
// are left out: the scope of the answer says what was granted. A request without
// scopes gets what is public.
package oauthapps
