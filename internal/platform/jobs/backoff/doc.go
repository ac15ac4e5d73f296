// Package backoff says how long a job waits after an attempt that failed.
package backoff
