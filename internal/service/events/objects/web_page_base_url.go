package objects

import "strings"

// EnterprisePrefix is where clients look for a code host that is not the public one.
// Everything below it is what is there without it, with links that stay below it.
const EnterprisePrefix = "/api/v3"

// Pages is what links to pages and to git begin with.
func Pages(base string) string { return strings.TrimSuffix(base, EnterprisePrefix) }
