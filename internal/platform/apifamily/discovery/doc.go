// Package discovery describes the APIs of the family to clients that are made from a
// description.
//
//	GET /discovery/v1/apis                       the APIs
//	GET /discovery/v1/apis/NAME/VERSION/rest     one of them
//
// A description is made of the service's OpenAPI description, which is generated from
// the code, and of its route table; so the three cannot differ. Addresses in it are those that
// the client asked at.
package discovery
