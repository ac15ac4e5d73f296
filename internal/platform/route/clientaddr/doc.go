// Package clientaddr says where a request came from: whose budget it uses when it has no
// credential, what a user recognises, and whether it is this machine.
package clientaddr
