package refusedcaller_test

import (
	"errors"
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/platform/route/refusedcaller"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	told := errors.New("the credential is unknown")
	refusal := &refusedcaller.Refusal{
		Err: told, Caller: "personal user=ada", Credential: "token 8 of ada", But: "not good for x",
	}
	err := fmt.Errorf("ask: %w", refusal)
	if refusedcaller.Caller(err) != "personal user=ada" || refusedcaller.Caller(told) != "" {
		t.Errorf("the caller is %q", refusedcaller.Caller(err))
	}
	if !errors.Is(err, told) || refusal.Error() != told.Error() {
		t.Errorf("callers are told %q", refusal)
	}
	if got := refusal.Reason(); got != "the credential is known (token 8 of ada) and not good for x" {
		t.Errorf("the log says %q", got)
	}
	words := errors.New("the credential is expired")
	var reworded *refusedcaller.Refusal
	expired := &refusedcaller.Refusal{Err: told, Credential: "token 8 of ada"}
	if got := refusedcaller.Reword(expired, words); !errors.As(got, &reworded) ||
		got.Error() != words.Error() || reworded.Reason() != "the credential is expired (token 8 of ada)" {
		t.Errorf("in other words: %v", got)
	}
	if got := refusedcaller.Reword(told, words); got != words {
		t.Errorf("of an unknown credential: %v", got)
	}
}
