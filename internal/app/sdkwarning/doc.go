// Package sdkwarning tells operators of a server that speaks the neutral dialect when an
// official SDK calls it.
package sdkwarning
