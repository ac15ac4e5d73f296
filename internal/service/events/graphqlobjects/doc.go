// Package graphqlobjects is what the code host shows in GraphQL: the schema and the fields of
// its objects. Package graphql runs queries; packages access, discussions and releases decide
// and change, as they do for REST, so that both have the same rules, scopes and events.
//
// Ids are those that REST calls node_id. An id of something that the caller may not see is
// answered like one of nothing.
//
// Within one request users, labels and numbers are looked up once. What asks the store or git
// takes steps for it.
package graphqlobjects
