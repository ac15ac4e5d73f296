// Package authority is the local certificate authority of a data folder.
//
// Closed networks and tests need HTTPS without an outside authority. The first
// use creates a root certificate (ca.pem, to be trusted by clients) whose
// private key is stored only wrapped by the folder's root key. Server
// certificates are made on demand, one per name, kept in memory and renewed
// long before they end; they never touch the disk.
//
// Only names the operator allows get a certificate: localhost and everything
// below it, the loopback addresses, and the configured host names.
package authority
