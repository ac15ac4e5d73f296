// Package sharedcache keeps answers out of caches that users share: those of proxies, gateways and content networks.
//
// HTTP itself keeps a shared cache from answers to requests with Authorization only (RFC 9111, section 3.5). Callers of
// services prove who they are by other headers, by parameters and by cookies as well, and a refusal or a missing thing
// may be as private as an answer. So an answer belongs to its caller alone, unless it says that it is for all.
package sharedcache
