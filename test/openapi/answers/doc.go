// Package answers knows what the services answer: shapes that were learnt from
// the true answers of the conformance suite, and whether an answer keeps to a
// description.
//
// A shape is a JSON schema with few words: types, members, which of them were
// always there, the elements of lists, and the values of objects whose names
// are data. The files NAME.json beside this one hold the shapes of a service,
// one line for each operation; `make openapi` writes them. Nothing in them is
// typed by hand, and enumerations are not guessed.
//
// It does not own the descriptions: those are made by test/openapi from the
// route tables, the wire types and these shapes.
package answers
