package format

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
)

// What the stores make of it is in the suite of blobtest.
func TestDigestGoesOn(t *testing.T) {
	t.Parallel()
	whole, first := NewDigest(), NewDigest()
	if _, err := io.WriteString(whole, "abcdef"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(first, "abc"); err != nil {
		t.Fatal(err)
	}
	state, err := first.State()
	if err != nil {
		t.Fatal(err)
	}
	second, err := ResumeDigest(state)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(second, "def"); err != nil {
		t.Fatal(err)
	}
	if got, want := second.Result(), whole.Result(); got != want {
		t.Errorf("the hash in two parts is %x, want %x", got, want)
	}
	if _, err := ResumeDigest([]byte("x")); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("ResumeDigest = %v, want ErrDamaged", err)
	}
}

func TestCopyLimited(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int64]error{0: nil, 3: nil, 2: blob.ErrTooLarge} {
		if _, err := CopyLimited(t.Context(), io.Discard, strings.NewReader("abc"), limit); !errors.Is(err, want) {
			t.Errorf("limit %d: %v, want %v", limit, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CopyLimited(ctx, io.Discard, strings.NewReader("abc"), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func TestDueTimesSort(t *testing.T) {
	t.Parallel()
	at := time.Unix(999, 0)
	if early, late := DueTime(at), DueTime(at.Add(time.Second)); early >= late {
		t.Errorf("%s is not before %s", early, late)
	}
	if got, ok := ParseDue(DueTime(at)); !ok || !got.Equal(at) {
		t.Errorf("ParseDue = %v, %t", got, ok)
	}
}
