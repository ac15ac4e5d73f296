// Package undocumented finds parameters of a query that the description of a service does not name.
//
// What a service knows is what its OpenAPI description names for any of its
// operations, and what services read everywhere: pages, fields and the like. A
// parameter that another operation of the service reads is not reported: the
// descriptions do not name every parameter of every operation.
package undocumented
