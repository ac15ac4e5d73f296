// Package channel keeps notification channels: a client names an HTTPS address and
// a collection, and is sent a message whenever the collection changes.
//
// It owns the table, the rules of a request and the messages. A message is
// enqueued in the transaction of the change that it tells of, under the next number
// of its channel; platform/deliver sends it. Which collections there are, and who
// may watch them, is the service's to know: here a collection is a name.
package channel
