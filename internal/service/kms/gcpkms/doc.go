// Package gcpkms keeps the key-encryption key in Google Cloud KMS and reaches
// it over its REST API.
//
//	GET  KEY                           the primary version
//	GET  KEY/cryptoKeyVersions         the versions
//	POST KEY/cryptoKeyVersions         a new version
//	POST KEY:updatePrimaryVersion      makes it primary
//	POST VERSION:encrypt               wrap, with the version pinned
//	POST KEY:decrypt                   unwrap
//
// Both directions carry CRC32C checksums, as the service advises. The account
// needs the role cloudkms.cryptoKeyEncrypterDecrypter and permission to view
// the key; to rotate, also to create versions.
//
// Logins are those of cloud.google.com/go/auth.
//
// It is tested against a strict stand-in, not against the service.
package gcpkms
