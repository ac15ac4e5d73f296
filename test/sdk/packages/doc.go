// Package packages holds the answers of the package insights service against
// the public types of the same API. It is a module of its own, so that the
// product does not depend on the clients it is tested with.
package packages
