package machine_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/doctor/machine"
	"stoa.dev/stoa/internal/platform/sandbox"
)

func TestExamine(t *testing.T) {
	t.Parallel()
	missing := sandbox.DefaultConfig()
	missing.Mode, missing.Program = sandbox.ModeSandbox, "/nowhere/bwrap"
	for name, row := range map[string]struct {
		box    *sandbox.Config
		result machine.Result
		says   string
	}{
		"a cluster":       {nil, machine.Good, "in a cluster"},
		"no such program": {&missing, machine.Warn, "no program can be started"},
	} {
		got := map[string]machine.Finding{}
		for _, f := range machine.Examine(t.Context(), machine.Settings{Outbound: "nothing", Sandbox: row.box}) {
			got[f.Check] = f
		}
		if f := got["sandbox"]; f.Result != row.result || !strings.Contains(f.Detail, row.says) {
			t.Errorf("%s: %+v, want %s %q", name, f, row.result, row.says)
		}
		if got["outbound"].Detail != "nothing" || got["memory"].Detail == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if f := machine.ExamineClock(); f.Result == machine.Bad || !strings.Contains(f.Detail, "Z") {
		t.Errorf("the clock: %+v", f)
	}
}
