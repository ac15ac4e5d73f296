// Package format is what the stores of package blob have in common: the records
// that they write beside the bytes, and how bytes are counted, bounded and hashed
// on their way. It knows neither files nor buckets.
package format
