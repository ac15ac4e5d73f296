// Package console is what people see: the services and how they are, sign in, sign out, change a password,
// type the code of a device, allow or deny an application, and look after their
// applications, tokens, keys and sessions.
//
//	GET       /console                          the services; for administrators the last requests
//	GET       /console/requests                 those alone, for the page to refresh itself
//	GET  POST /console/sign-in                  name and password
//	POST      /console/sign-out
//	GET  POST /console/password
//	GET  POST /console/tokens                   tokens, keys, allowed applications
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
// the program, and so is the script that refreshes the list of requests; the
// Content-Security-Policy allows nothing else.
//
// # What it owns
//
// The cookie, the forms, the words for people, and how often somebody may try a
// password or a device code. Facts are identity's: sessions, grants, scopes,
// clients, tokens. A service that has to ask a person hands over an
// identity.Authorization and gets a handler back, so neither imports the other.
//
// # Safety
//
//   - The cookie is HttpOnly and SameSite=Lax, on HTTPS Secure with the __Host-
//     prefix. Its secret changes at every sign-in and is stored as a hash.
//   - Forms are refused when the browser says that they come from another site
//     (net/http.CrossOriginProtection) or when they lack the session's token.
//   - The address to go on to after signing in stays on this server.
//   - Passwords are tried at most a few times per name and per address; device
//     codes at most a few times per person and address, and so many in all that
//     guessing one takes longer than any code lives.
//   - A code that came with the link is shown and has to be confirmed: a link
//     from a stranger must not be enough (RFC 8628 section 5.4).
package console
