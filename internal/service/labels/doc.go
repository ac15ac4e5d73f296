// Package labels serves the limits that label editors must respect (service D).
//
// One operation reads one constant resource, so the package has no store: the
// values are configuration, checked and encoded once when the service is
// built.
//
//	GET /v2/limits/label?name=limits/label    limits.getLabel
//
// The caller presents an OAuth 2.0 bearer token with at least one of the
// scopes storage.labels, storage.labels.readonly, storage.admin.labels and
// storage.admin.labels.readonly, each written <scope base>/auth/NAME. The
// query parameter name is required and must be limits/label; a request body
// is refused. The members of integerLimits are strings that hold 64-bit
// numbers, and the members of dateLimits are objects, not strings.
//
// Failures answer {"error":{code,message,status,errors[]}}: 400
// INVALID_ARGUMENT, 401 UNAUTHENTICATED (with WWW-Authenticate), 403
// PERMISSION_DENIED, 404 NOT_FOUND, 405 METHOD_NOT_ALLOWED, 413, 429
// RESOURCE_EXHAUSTED (with Retry-After), 500 INTERNAL, 504 DEADLINE_EXCEEDED.
//
// # Where the contract is silent we decided
//
//   - D-N1: a missing or wrong name and a non-empty body are 400
//     INVALID_ARGUMENT with reason badRequest; a token without any of the four
//     scopes is 403 PERMISSION_DENIED with reason insufficientPermissions; a
//     missing or bad token is 401 UNAUTHENTICATED with reason authError.
//   - D-N2: the resource is constant, so it has no states and emits no events.
//     A caller may read it 6000 times a minute (requests_per_minute), after
//     which the answer is 429. Members are only ever added to the answer.
//   - D-N3: a date object is {year, month, day}. LabelLimits.name is
//     limits/label. No public source states the numbers; ours are sensible
//     defaults and every one can be configured.
//   - The parameters of the API family (fields, prettyPrint, alt, access_token,
//     quotaUser, key) are those of package apifamily. name may stand once; a parameter
//     that no operation has changes nothing, and the lab reports it.
//   - A token of another service lacks the scopes: 403, not 401.
package labels
