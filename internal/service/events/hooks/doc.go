// Package hooks tells receivers of a repository's or an organization's events: a hook
// names an HTTPS address, and every event of the feed that it subscribes to is posted
// there, signed with its secret.
//
// Messages are enqueued in the transaction of the event; platform/deliver sends them, one
// after the other for a hook, and refuses addresses that a server must not be made to
// call. A message is tried for ten minutes. Address and secret are sealed at rest, and the
// secret is never shown again. What was sent is listed for 30 days, and its bytes can be sent
// again, to the address and with the secret that the hook has by then.
//
// An address that was taken away, with its hook or by a change of it, is told nothing more, and
// neither is that of a hook that was turned off: what waited for it is given up.
package hooks
