package permission_test

import (
	"slices"
	"testing"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/calendar/permission"
)

// TestRoles: every role allows itself and all that are weaker.
func TestRoles(t *testing.T) {
	t.Parallel()
	all := permission.Roles()
	for i, role := range all {
		for j, need := range all {
			if role.Allows(need) != (i >= j) || role.Weaker(need) != all[min(i, j)] {
				t.Errorf("%s and %s: allows %t, weaker %s", role, need, role.Allows(need), role.Weaker(need))
			}
		}
	}
	if permission.Role("king").Allows(permission.RoleNone) || permission.RoleReader.MayReadPrivate() {
		t.Error("a word that is not a role allows something, or a reader reads private events")
	}
	for _, scope := range permission.Restricted() {
		if !slices.ContainsFunc(permission.Scopes(), func(s module.Scope) bool { return s.Name == scope }) {
			t.Errorf("%s is restricted and no scope", scope)
		}
	}
}
