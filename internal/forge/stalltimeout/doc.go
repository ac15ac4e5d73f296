// Package stalltimeout passes bodies to and from clients that have to keep some pace: a client
// that sends or takes a byte now and then does not stay.
package stalltimeout
