// Package labels serves the limits that label editors must respect (service D), and
// keeps labels that are held against them.
//
// The contract has one operation, which reads one constant resource: the values are
// configuration, checked and encoded once when the service is built. The others are
// those of the API family that make the limits matter.
//
//	GET    /v2/limits/label?name=limits/label    limits.getLabel
//	POST   /v2/labels                            labels.create
//	GET    /v2/labels                            labels.list
//	GET    /v2/labels/{label}                    labels.get
//	POST   /v2/labels/{label}:publish            labels.publish
//	POST   /v2/labels/{label}:disable            labels.disable
//	POST   /v2/labels/{label}:enable             labels.enable
//	DELETE /v2/labels/{label}                    labels.delete
//	GET    /v2/users/me/capabilities             users.getCapabilities
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
//   - A label is a draft until it is published, may be disabled and enabled, and is
//     deleted as a draft or when disabled; other orders are 400 FAILED_PRECONDITION. What it
//     says does not change, so it has one revision. Title, description, fields,
//     choices and their options are held against the limits and refused beyond them;
//     members that are not known are refused, and so are ids of fields and choices, which
//     the server gives. SHARED labels are their owner's. ADMIN ones are
//     made by administrators with useAdminAccess and a scope for it, and seen by all
//     users once published. A user has at most max_labels, beyond which the answer is 429.
//   - A token of another service lacks the scopes: 403, not 401.
package labels
