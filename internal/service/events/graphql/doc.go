// Package graphql answers questions in the GraphQL language about any schema: it reads and
// checks a query, bounds it, and runs it field by field. It knows nothing of the code host;
// package graphqlobjects has the schema and the fields.
//
// # Bounds
//
// A query is measured before it runs: its length, its tokens, how deep it goes and how many
// fields it names once fragments are put in their places. Connections must say how many
// entries they want, from 1 to 100, unless only their count is asked for; the product of these
// numbers is the number of nodes, which is bounded, and makes the price that is taken from the
// caller's limit. While it runs every field takes steps, fields that ask the store take more,
// and the texts of the answer are counted, so that nothing depends on what the query only
// could have asked for.
//
// # Schema
//
// The schema is text. A field has a resolver, or one of two directives that say what is always
// so: @none for what there is none of here, @always for a fixed value. A type that never occurs
// is @absent. New refuses a schema with a field that has neither.
//
// # Errors
//
// What a field refuses is an *Error in the answer, beside the data of the other fields. All other
// errors end the request: they are the server's, and its envelope answers them.
package graphql
