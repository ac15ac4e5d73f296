// Package adversary attacks every operation of a running server and watches
// that it lives, that its memory stays within its budget, and that a caller
// beside the attack is answered in time.
//
// The attacks are generated: operations come from the route tables, the members
// of their bodies and their parameters from docs/openapi, so a new operation is
// attacked without a line written here. Each operation gets bodies of the
// largest allowed size in every encoding (attack_bodies.go), texts that grow when
// they are evaluated (attack_texts.go), parameters and numbers at their edges,
// compressed bodies that unpack to hundreds of megabytes, and bodies that come
// slowly, from sixteen connections at once. Floods of HTTP/2 frames come besides, and the
// same attacks on a server that may use 96 MB. With -tags strace every operation is called
// once while the calls of the system that connect and send are counted.
//
// `go test ./test/adversary` runs a sample that is the same every time;
// `make adversary` runs everything against the release build and prints what it
// measured.
package adversary
