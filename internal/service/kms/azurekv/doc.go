// Package azurekv keeps the key-encryption key in Azure Key Vault and reaches
// it over its REST API (version 7.4).
//
//	GET  keys/KEY/versions             the versions
//	POST keys/KEY/rotate               a new version
//	POST keys/KEY/VERSION/wrapkey      wrap with RSA-OAEP-256
//	POST keys/KEY/VERSION/unwrapkey    unwrap
//
// The identity needs the role Key Vault Crypto Service Encryption User; to
// rotate, also permission to rotate. RSA keys cannot bind a wrapped key to
// additional data; the message that is sealed under it is bound instead.
//
// Logins are those of azidentity: an application with a secret, or the managed
// identity of the machine, which may also be a container or an app service.
//
// It is tested against a strict stand-in, not against the service.
package azurekv
