package identity_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

func BenchmarkResolve(b *testing.B) {
	for name, open := range map[string]func(testing.TB, ...database.Migrations) *database.DB{
		"sqlite": databasetest.SQLite, "postgres": databasetest.Postgres,
	} {
		b.Run(name, func(b *testing.B) {
			db := open(b, audit.Migrations(), identity.Migrations())
			h := build(b, db, clock.NewVirtual(epoch), func(o *identity.Options) {
				o.Clock = clock.Real()
			})
			u := h.user("ada")
			_, secret := h.token(identity.IssueOptions{UserID: u.ID, Scopes: []string{"storage.labels"}})
			ctx := b.Context()
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					c, err := h.Resolve(ctx, "labels", secret)
					if err != nil || !c.HasScope("storage.labels") {
						b.Errorf("Resolve = %v, %v", c, err)
						return
					}
				}
			})
		})
	}
}
