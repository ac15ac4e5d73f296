package device

import "stoa.dev/stoa/internal/platform/oauth"

// Error is why the service refuses a request. Its codes and statuses are the
// table that the contract's two device flows share.
type Error = oauth.Error
