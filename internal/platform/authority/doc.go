// Package authority is the local certificate authority of a data folder.
//
// Closed networks and tests need HTTPS without an outside authority. The first
// use creates a root certificate (ca.pem, to be trusted by clients) whose
// private key is stored only wrapped by the folder's root key. Server
// certificates are made on demand, one per name, kept in memory and renewed
// long before they end; they never touch the disk.
//
// The root certificate carries name constraints: it is worth nothing for other
// sites, even to a thief of its key. When the configuration names another host,
// or a quarter of its two years is left, it is made anew for the same key, so
// that clients which trust the earlier one go on until they have the new one;
// Notice says so. A root without constraints or past its end is replaced with its
// key.
//
// Only names the operator allows get a certificate: localhost and everything
// below it, the loopback addresses, and the configured host names.
package authority
