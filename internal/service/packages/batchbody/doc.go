// Package batchbody reads the bodies of batches as the protocol's JSON is read: a
// member in either of its two spellings, an enumeration by its name or its number.
package batchbody
