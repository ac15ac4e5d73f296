// Package conductrules states what the calendar service asks of its clients, for the conduct
// report of the lab: rules over requests in order, each with the statement of the
// contract that it rests on.
package conductrules
