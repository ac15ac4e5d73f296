// Package listen owns a server's addresses: the plain and the TLS listener, the
// certificates of the latter, unix sockets, and the proxies in front.
//
// It serves whatever handler it is given and knows nothing of a world or a
// service. Bind takes the addresses, Serve answers on them, Shutdown lets requests
// in flight finish, and Close gives the addresses back.
package listen
