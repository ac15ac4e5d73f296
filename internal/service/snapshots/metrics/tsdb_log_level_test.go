//go:build !small

package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestQuiet(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := lowerLevel(slog.New(slog.NewTextHandler(&out, nil)).With("component", "metrics"))
	log.Info("housekeeping")
	log.Error("interrupted", "err", fmt.Errorf("compact: %w", context.Canceled))
	log.Warn("uneasy")
	log.Warn("Overlapping blocks found during reloadBlocks")
	log.With("dir", "x").Error("broken", "err", errors.New("disk full"))
	got := out.String()
	for word, want := range map[string]bool{
		"housekeeping": false, "interrupted": false, "Overlapping": false, "uneasy": true, "disk full": true,
		"component=metrics": true,
	} {
		if strings.Contains(got, word) != want {
			t.Errorf("%q in the log: %v, want %v:\n%s", word, !want, want, got)
		}
	}
}
