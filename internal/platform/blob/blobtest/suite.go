package blobtest

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
)

// Setup prepares empty storage and gives a function that opens a store on it. Every call is a process of its own.
type Setup func(t *testing.T, c clock.Clock) (open func() blob.Store)

// start is when the suite's clocks stand.
func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// Suite runs all tests of a store.
func Suite(t *testing.T, setup Setup) {
	t.Helper()
	tests := []struct {
		name string
		run  func(t *testing.T, b *bench)
	}{
		{"put, stat, open, delete", testRoundTrip},
		{"sizes around every buffer", testSizes},
		{"keys", testKeys},
		{"options", testOptions},
		{"ranges", testRanges},
		{"replace while reading", testReplace},
		{"a failing source leaves nothing", testFailingSource},
		{"list", testList},
		{"expiry", testExpiry},
		{"expiry after replacing", testExpiryReplaced},
		{"upload", testUpload},
		{"upload offsets", testUploadOffsets},
		{"upload limits", testUploadLimits},
		{"upload survives a restart", testUploadRestart},
		{"upload keeps what came before a failure", testUploadFailure},
		{"upload abort and abandon", testUploadAbandon},
		{"appends at one offset", testUploadRace},
		{"writers of one key", testWriters},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := clock.NewVirtual(start())
			open := setup(t, c)
			test.run(t, &bench{Store: open(), clock: c, reopen: open})
		})
	}
}
