// Package fromrecording turns what a test suite has recorded of its requests into
// expectations: archives of browsers and proxies (HAR 1.2), and the stubs of WireMock.
//
// A recording says what a client asked and was told. Played back it says so for ever;
// as an expectation it asks whether the client still does so, of services that answer
// by themselves. Requests that are the same are counted.
//
// Segments of paths that a service has chosen when the recording was made are other
// ones in every world: a segment of eight or more characters with a digit among them
// matches any. Queries and headers are not compared; of bodies in JSON every value is,
// except those that look chosen in the same way.
package fromrecording
