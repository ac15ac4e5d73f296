// Package attest checks the signature bundles of attestations.
//
// It is the only place that knows how bundles are signed, behind an interface
// that the adapters declare. Without a file of trusted roots nothing can be
// checked, and every attestation stays unverified, which is what the contract
// says of a bundle that cannot be checked.
package attest
