package refusal_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/refusal"
)

func TestFromForge(t *testing.T) {
	t.Parallel()
	other := errors.New("disk")
	for name, row := range map[string]struct {
		err  error
		want refusal.Code
	}{
		"missing":   {forge.ErrNotFound, refusal.CodeNotFound},
		"taken":     {forge.ErrTaken, refusal.CodeInvalid},
		"invalid":   {forge.ErrInvalid, refusal.CodeInvalid},
		"too large": {forge.ErrTooLarge, refusal.CodeInvalid},
		"forbidden": {forge.ErrForbidden, refusal.CodeForbidden},
	} {
		var got *refusal.Error
		if err := refusal.FromForge(row.err); !errors.As(err, &got) || got.Code != row.want {
			t.Errorf("%s: %v, want %s", name, err, row.want)
		}
	}
	if err := refusal.FromForge(other); !errors.Is(err, other) {
		t.Errorf("another error became %v", err)
	}
	if got := refusal.MissingScope("issues:write").Permission; got != "issues=write" {
		t.Errorf("the header says %q", got)
	}
}
