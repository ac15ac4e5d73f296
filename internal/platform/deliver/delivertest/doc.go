// Package delivertest gives tests of outbound calls a certificate authority and a receiver on loopback that records
// what it gets and answers as told.
package delivertest
