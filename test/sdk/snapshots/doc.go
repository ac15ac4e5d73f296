// Package snapshots drives the metric graphs of the true binary with unmodified
// official clients, in the sdk dialect: the Go client here, the npm client in
// npm, the Python clients in python. It is a module of its own, so that the
// product does not depend on the clients it is tested with.
package snapshots
