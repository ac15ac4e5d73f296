// Package device completes the authorization flows of the true binary with
// unmodified clients: golang.org/x/oauth2 (device and code flows) and
// github.com/cli/oauth here, npm openid-client in npm. It is a module of its
// own, so that the product does not depend on the clients it is tested with.
package device
