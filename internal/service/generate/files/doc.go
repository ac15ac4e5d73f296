// Package files keeps uploaded media: upload sessions that survive restarts, the
// files they become, and the storage of each user.
//
// The offset of an upload is what is durable, and finalizing can be repeated,
// also by two requests at once and after a process died between the bytes and
// their row. A file is PROCESSING until a durable job has read and counted it,
// then ACTIVE or FAILED. Rows go before bytes, so that no row points at bytes
// that are gone.
package files
