// Package routetest holds every service to the same three promises: each error
// has a fixed answer in the service's envelope (Envelope), each row of the
// route table is exercised by a success and by a failure (Coverage), and
// requests are written as rows of one table (Scenario).
//
// It owns the shape of those tests and the golden files. It knows no service;
// what is right is said by the service's own rows and files.
package routetest
