// Package describe writes what programs read about an API: JSON Schemas of Go
// types, and the objects of an OpenAPI description that stand around them.
//
// A description is made of the route table and of values of the wire types, so
// that it cannot differ from the code. The package owns the rules by which a type
// becomes a schema and a route pattern becomes a path; what a description says
// beyond that, and its outer form, is the caller's.
package describe
