// Package unpack unpacks the bodies that senders of metrics compress: gzip, deflate, zstd and snappy.
//
// A body grows no further than it may, and takes the memory of its request as it grows.
package unpack
