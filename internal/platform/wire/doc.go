// Package wire turns request bodies into values and values into response
// bodies.
//
// Reading is strict: a JSON text passes one validating scan (one value and
// nothing after it, no member named twice, valid UTF-8, no lone surrogate, at
// most 100 levels deep) before encoding/json sees it, and whatever is refused
// is told with its position, its field and a reason a person can act on.
// Members that the destination lacks are ignored unless DisallowUnknown says otherwise.
//
// Writing is whole or not at all: a value is encoded into a buffer first, so
// that an encoding failure is still an ordinary error and every response has a
// Content-Length. Large bodies are compressed for callers that accept it.
//
// The package owns body formats, sizes and conditional answers. It knows
// nothing of routes, callers, statuses of failures or error envelopes; those
// belong to route and to each service.
package wire
