package commands_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world/commands"
)

func TestDeliveriesCommands(t *testing.T) {
	t.Parallel()
	byPath := map[string]module.Command{}
	for _, c := range commands.All(open(t)) {
		byPath[c.Path] = c
	}
	list, err := byPath["deliveries list"].Run(t.Context(), &module.Input{Values: map[string][]string{"limit": {"10"}}})
	if err != nil {
		t.Errorf("list = %v, %v", list, err)
	}
	for _, path := range []string{"deliveries show", "deliveries resend"} {
		_, err = byPath[path].Run(t.Context(), &module.Input{Values: map[string][]string{"id": {"nothing"}}})
		var failure *module.CommandError
		if !errors.As(err, &failure) || failure.Failure != module.NotFound || failure.Next == "" {
			t.Errorf("%s of nothing: %v, want not found with a next step", path, err)
		}
	}
}
