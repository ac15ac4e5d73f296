// Package blob owns stored bytes: pictures, uploads, artifacts, caches.
//
// A [Store] keeps objects under keys, each with its size, SHA-256, content type and expiry. An object appears whole
// or not at all, and Put returns after it is durable. Unfinished objects are [Upload] values: bytes that arrive in
// several requests, continue after a restart at the offset that was made durable, and become an object at Commit.
//
// There are two stores and one suite of tests (blobtest) that both pass. Package files
// keeps one file per object below a folder that one process owns; package s3 keeps objects in a bucket that several
// processes share.
//
// Expiry follows the world's clock: an expired object is gone for readers at once, and Sweep takes its bytes later.
// Sweep does not walk all objects. Storing an expiring object first leaves a note in an index sorted by
// time; a note without its object, or with a newer object, is simply dropped when its time comes.
//
// The package does not own who may read an object, how a service names its keys, or the HTTP face of ranges and
// uploads.
package blob
