package events_test

import (
	"context"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
)

// fillReleases gives a repository releases until it has as many as it may.
func fillReleases(ctx context.Context, q database.Querier, repo int64, missing int) error {
	_, err := q.Exec(ctx, `
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
		INSERT INTO events_releases (repo_id, tag, draft, prerelease, data) SELECT $1, 'x' || i, FALSE, FALSE, '{}' FROM n`,
		repo, 10_000-missing)
	return err
}

// TestRefusedReleaseLeavesNoTag: neither one that is refused at once, nor one that was allowed before its tag was made.
func TestRefusedReleaseLeavesNoTag(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		r, ada := h.filled(t, "ada", "engine", false), h.Token("ada")
		const at = "/repos/ada/engine"
		var onTag database.TxFunc
		h.forge.Observe(func(ctx context.Context, tx *database.Tx, a forge.Activity) error {
			then := onTag
			if a.Push == nil || then == nil {
				return nil
			}
			tx.OnCommit(func() { onTag = nil })
			return then(ctx, tx)
		})
		noTag := func(name, tag string) {
			t.Helper()
			if _, err := h.forge.Head(t.Context(), r, "refs/tags/"+tag); err == nil {
				t.Errorf("%s: the tag %s is there", name, tag)
			}
			h.do(t, ada, "GET", at+"/git/ref/tags/"+tag, "", 404)
		}
		sql := func(text string) database.TxFunc {
			return func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(ctx, text, r.ID)
				return err
			}
		}
		const add = `INSERT INTO events_releases (repo_id, tag, draft, prerelease, data) VALUES ($1, `

		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"taken","draft":true}`, 201)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"taken"}`, 422)
		noTag("a draft has the tag", "taken")
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"mine","draft":true}`, 201)
		h.do(t, ada, "PATCH", at+"/releases/2", `{"tag_name":"taken","draft":false}`, 422)
		noTag("a draft is published with the tag of another", "taken")

		onTag = sql(add + `'soon', TRUE, FALSE, '{"Draft":true}')`)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"soon"}`, 422)
		noTag("a draft took the tag meanwhile", "soon")
		onTag = sql(add + `'both', FALSE, FALSE, '{}')`)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"both"}`, 422)
		if _, err := h.forge.Head(t.Context(), r, "refs/tags/both"); err != nil {
			t.Errorf("another release was published with the tag meanwhile: %v, want the tag kept", err)
		}
		onTag = sql(`DELETE FROM events_releases WHERE repo_id = $1 AND tag = 'mine'`)
		h.do(t, ada, "PATCH", at+"/releases/2", `{"draft":false}`, 404)
		noTag("the draft was deleted meanwhile", "mine")

		onTag = func(ctx context.Context, tx *database.Tx) error { return fillReleases(ctx, tx, r.ID, 0) }
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"last"}`, 422)
		noTag("the last place was taken meanwhile", "last")
		before := len(eventWords(t, h, at+"/events?per_page=100", ada))
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"more"}`, 422)
		noTag("there are as many as there may be", "more")
		if after := len(eventWords(t, h, at+"/events?per_page=100", ada)); after != before {
			t.Errorf("%d events tell of a release that was refused at once", after-before)
		}
	})
}
