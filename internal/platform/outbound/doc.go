// Package outbound is where every connection to another machine begins.
//
// A Gate makes dialers and transports. While the server is offline (the setting
// offline, the flag --offline) the Gate connects to this machine's own loopback
// addresses only: what is elsewhere is refused before its name is looked up, and
// no proxy is used. test/arch_test.go refuses dialers and transports that are
// made anywhere else, so that no client is forgotten.
//
// The database and the bucket are not behind the Gate: they hold the server's
// own data, and it does not work without them.
//
// The package does not know who is called or why. Guards against addresses that
// callers chose are the Control functions of deliver and registry; they apply on
// top of the Gate.
package outbound
