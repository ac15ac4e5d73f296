// Package s3 is the blob store of a bucket that several processes share.
package s3
