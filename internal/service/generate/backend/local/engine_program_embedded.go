//go:build stoa_engine

package local

import _ "embed"

// program is the compressed engine program, which make build puts here before it
// builds the server.
//
//go:embed built/stoa-engine.gz
var program string
