package failure_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/jobs/failure"
)

// TestCause: each says what its cause says, and is it.
func TestCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("the receiver is away")
	for _, err := range []error{
		&failure.Permanent{Err: cause}, &failure.Postponed{Err: cause}, &failure.Retry{Err: cause},
	} {
		if err.Error() != cause.Error() || !errors.Is(err, cause) {
			t.Errorf("%T: %v, want its cause", err, err)
		}
	}
}
