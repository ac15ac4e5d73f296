// Package inbox receives what the services of a world send out, so that a webhook can
// be tested without a public address: each inbox keeps the messages that reach it
// and answers as it was told.
//
// Inboxes and their messages are in memory. They are bounded in number and in bytes;
// where a message does not fit, the oldest of its inbox goes.
package inbox
