// Package console is the web interface for users: the services and their health,
// sign in, sign out, change a password, type the code of a device, authorize or
// deny an application, and manage applications, tokens, keys and sessions.
//
//	GET       /console                          the services; for administrators the recent requests
//	GET       /console/requests                 what was asked, live; one request; sent again
//	GET  POST /console/data/…                   what services hold (resourcepages)
//	GET  POST /console/lab/…                    the lab that holds the world (labpages)
//	GET       /console/administration/…         health, settings, storage (administration)
//	GET       /console/design                   everything that pages are made of (design)
//	GET  POST /console/sign-in                  name and password
//	POST      /console/sign-out
//	GET  POST /console/password
//	GET  POST /console/tokens                   tokens, keys, authorized applications
//	GET       /console/tokens/new
//	POST      /console/tokens/{id}/revoke
//	GET  POST /console/applications
//	POST      /console/applications/{id}/{do}   secret, delete
//	GET  POST /console/sessions                 list; end all others
//	POST      /console/sessions/{id}/end
//	GET  POST /console/consent                  a sealed authorization request
//	GET  POST /device                           the code that a device shows
//	POST      /device/decision
//
// Pages are rendered here with html/template and work without JavaScript, with
// a keyboard, on a phone and in light and dark. The one style sheet is part of
// the program, and so is the script, which pages with the menu load; the
// Content-Security-Policy allows nothing else.
//
// # What it owns
//
// The cookie, the forms, the texts, and how often a client may try a password or a
// device code. Facts are identity's: sessions, grants, scopes, clients, tokens. A
// service that needs a user's consent hands over an identity.Authorization and gets
// a handler back, so neither imports the other.
//
// # Safety
//
//   - The cookie is HttpOnly and SameSite=Lax, on HTTPS Secure with the __Host-
//     prefix. Its secret changes at every sign-in and is stored as a hash.
//   - Forms are refused when the browser says that they come from another site
//     (net/http.CrossOriginProtection) or when they lack the session's token.
//   - The address to go on to after signing in stays on this server.
//   - Passwords are tried at most a few times per name and network and a few
//     more per network. A name that many networks try answers with a growing,
//     bounded pause; it is never closed, or any client could keep its owner out.
//     Browsers that have signed in as the name before are counted apart and do
//     not wait, nor does changing the password in an open session.
//   - Password checks take slots from a pool with a share per network.
//   - Passwords are not accepted over plain HTTP that leaves the machine.
//   - Device codes are tried at most a few times per user.
//   - A code that came with the link is shown and has to be confirmed: a link
//     that another user sent must not be enough (RFC 8628 section 5.4).
package console
