package lab

import "stoa.dev/stoa/internal/lab/inbox"

// Inboxes receive what the world's services send. They stay while the world is closed
// for want of requests, and go with a reset and with the process.
func (w *World) Inboxes() *inbox.Set { return w.inbox }
