package ownedrows_test

import (
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/forge/ownedrows"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/ownership"
	"stoa.dev/stoa/internal/platform/world"
)

func build(w *world.World, i *identity.Identity) module.Module {
	return forge.New(w, i, forge.DefaultConfig()).Module()
}

// TestAll: repositories refuse a removal, pushes are history, and rights of a user go.
func TestAll(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		ctx, db := t.Context(), h.World.DB
		for _, text := range []string{
			`INSERT INTO forge_repositories (owner_kind, owner_id, owner_name, folded_owner, name, folded_name, private,
				description, default_branch, network_id, parent_id, folder, created_at, updated_at)
				VALUES ('org', 7, 'o', 'o', 'r', 'r', FALSE, '', 'main', 1, 0, 'f', '', '')`,
			`INSERT INTO forge_members (repository_id, user_id, permission) SELECT id, 7, 'read' FROM forge_repositories`,
			`INSERT INTO forge_stars (repository_id, user_id, starred_at) SELECT id, 7, '' FROM forge_repositories`,
			`INSERT INTO forge_pushes (repository_id, ref, before_sha, after_sha, forced, size, distinct_size, commits,
				actor_id, actor_name, pushed_at)
				SELECT id, 'r', '', '', FALSE, 0, 0, '', 7, 'ada', '' FROM forge_repositories`,
		} {
			if _, err := db.Exec(ctx, text); err != nil {
				t.Fatal(err)
			}
		}
		user, org := ownership.Owner{Kind: ownership.User, ID: 7}, ownership.Owner{Kind: ownership.Org, ID: 7}
		for _, row := range []struct {
			owner  ownership.Owner
			effect ownership.Effect
			want   string
		}{
			{user, ownership.Blocks, "[]"}, {org, ownership.Blocks, "[{repositories 1}]"},
			{user, ownership.Mentions, "[{pushes 1}]"}, {org, ownership.Mentions, "[]"},
		} {
			held, err := ownership.Count(ctx, db, ownedrows.All(), row.owner, row.effect)
			if err != nil || fmt.Sprint(held) != row.want {
				t.Errorf("%s of the %s: %v, %v; want %s", row.effect, row.owner.Kind, held, err, row.want)
			}
		}
		for _, o := range []ownership.Owner{user, org} {
			if err := ownership.Delete(ctx, db, ownedrows.All(), o); err != nil {
				t.Fatal(err)
			}
		}
		var left, repositories int64
		err := db.QueryRow(ctx, `SELECT (SELECT COUNT(*) FROM forge_members) + (SELECT COUNT(*) FROM forge_stars),
			(SELECT COUNT(*) FROM forge_repositories)`).Scan(&left, &repositories)
		if err != nil || left != 0 || repositories != 1 {
			t.Errorf("%d rights and %d repositories are left, %v; want 0 and 1", left, repositories, err)
		}
	})
}
