// Package revocation asks whether the certificates of a connection were revoked: by the stapled answer, by the
// authority's OCSP responder, by its list. A question without an answer counts as not revoked, as in browsers.
//
// It does not verify chains; that is done before it is asked.
package revocation
