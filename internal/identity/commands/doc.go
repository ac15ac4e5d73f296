// Package commands is the operator's command line for identity: stoa user, org,
// team, client, token, key and grant. The commands use nothing of identity that
// another package could not use.
//
// Each command returns a plain struct that is printed as text or JSON. A secret is
// in it once, in the answer of the command that made it, and nowhere else.
package commands
