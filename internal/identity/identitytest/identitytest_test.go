package identitytest_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/world"
)

func TestPeopleInOneLine(t *testing.T) {
	t.Parallel()
	w := world.Blueprint(world.Options{})
	w.DB = databasetest.SQLite(t, identity.Migrations())
	people := identitytest.New(t, w)
	people.Register("labels", []identity.Scope{{Name: "storage.labels", Based: true}})
	for _, secret := range []string{
		identitytest.Token(t, people, "ada", "labels", "storage.labels"),
		identitytest.Key(t, people, "ada", "labels"),
	} {
		c, err := people.Resolve(t.Context(), "labels", secret)
		if err != nil || c.UserName != "ada" || !c.HasScope("storage.labels") {
			t.Errorf("Resolve = %v, %v, want ada with the scope", c, err)
		}
	}
}
