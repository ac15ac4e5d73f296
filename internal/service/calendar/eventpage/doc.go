// Package eventpage is the page behind the htmlLink of an event: what a browser shows of
// it to a user who may see it. It owns the address and the markup; who sees what is the
// service's, which hands over an event as that user gets it.
package eventpage
