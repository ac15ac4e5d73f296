package articles

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// TestKeptTotals: the numbers of a tag's and of an author's items, which are not counted row
// by row, are those that counting gives, for everybody who may see another part of them.
func TestKeptTotals(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		tags := map[int64]Tag{}
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			for _, team := range []int64{0, 3} {
				tag, err := fillSite(ctx, tx, team)
				if err != nil {
					return err
				}
				tags[team] = tag
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []groups.Visibility{
			{All: true}, {Viewer: groups.Viewer{UserID: 7}, All: true},
			{Viewer: groups.Viewer{TeamID: 3, UserID: 7}}, {Viewer: groups.Viewer{TeamID: 3, UserID: 8}},
			{Viewer: groups.Viewer{TeamID: 3, UserID: 7}, All: true}, {Viewer: groups.Viewer{TeamID: 3, UserID: 9}},
		} {
			checkTotals(t, db, v, tags[v.TeamID])
		}
	}, migrationFiles())
}

// checkTotals compares the totals of first pages with all rows.
func checkTotals(t *testing.T, db *database.DB, v groups.Visibility, tag Tag) {
	t.Helper()
	for name, list := range map[string]func(p page.Numbers) ([]int64, int64, error){
		"tag":     func(p page.Numbers) ([]int64, int64, error) { return listTagItems(t.Context(), db, v, tag, p) },
		"author7": func(p page.Numbers) ([]int64, int64, error) { return listUserItems(t.Context(), db, v, 7, p) },
		"author8": func(p page.Numbers) ([]int64, int64, error) { return listUserItems(t.Context(), db, v, 8, p) },
	} {
		all, _, err := list(page.Numbers{Page: 1, Size: 100})
		if err != nil {
			t.Fatal(err)
		}
		some, total, err := list(page.Numbers{Page: 1, Size: 2})
		if err != nil || len(some) != 2 || total != int64(len(all)) {
			t.Errorf("%s for %+v: %d of %d, want 2 of %d (%v)", name, v, len(some), total, len(all), err)
		}
	}
}

// fillSite writes items of two authors with a tag: public, private, and in two private
// groups, of which author 7 has joined one.
func fillSite(ctx context.Context, tx *database.Tx, team int64) (Tag, error) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	tag, err := tagging.Upsert(ctx, tx, team, "Go")
	if err != nil {
		return tag, err
	}
	groupNumbers := []int64{0}
	for n := range 2 {
		var number int64
		err := tx.QueryRow(ctx, `INSERT INTO articles_groups (team_id, url_name, name, description, private, created_at,
			updated_at) VALUES ($1, $2, 'G', '', $3, $4, $4) RETURNING number`, team, fmt.Sprint("g", n), true,
			database.Time(at)).Scan(&number)
		if err != nil {
			return tag, err
		}
		if team != 0 {
			groupNumbers = append(groupNumbers, number)
		}
	}
	if team != 0 {
		_, err := tx.Exec(ctx, `INSERT INTO articles_group_members (group_number, user_id, created_at)
			VALUES ($1, 7, $2)`, groupNumbers[1], database.Time(at))
		if err != nil {
			return tag, err
		}
	}
	for n := range 24 {
		i := Item{
			author: author{UserID: int64(7 + n%2)}, ID: fmt.Sprintf("%018d%02d", team, n), TeamID: team,
			Title: "T", CreatedAt: at, UpdatedAt: at, Private: n%5 == 0, GroupNumber: groupNumbers[n/2%len(groupNumbers)],
		}
		if err := fillItem(ctx, tx, i, tag.Number); err != nil {
			return tag, err
		}
	}
	return tag, nil
}

func fillItem(ctx context.Context, tx *database.Tx, i Item, tag int64) (err error) {
	if i.Number, err = insertItem(ctx, tx, i); err != nil {
		return err
	}
	if err := tagging.Attach(ctx, tx, i.Number, tag, 0, nil); err != nil || i.Private {
		return err
	}
	if err := addToCount(ctx, tx, countTagItems, 1, tag); err != nil || i.TeamID != 0 {
		return err
	}
	return addToCount(ctx, tx, countUserItems, 1, i.UserID)
}

// TestTagListPlan: SQLite reads a tag's list along the tag's own index, without sorting,
// whatever the rest of the table holds.
func TestTagListPlan(t *testing.T) {
	t.Parallel()
	db := databasetest.SQLite(t, migrationFiles())
	plan, err := database.All(t.Context(), db, func(s database.Scanner) (line string, err error) {
		var id, parent, unused int64
		err = s.Scan(&id, &parent, &unused, &line)
		return line, err
	}, `EXPLAIN QUERY PLAN `+tagItemsQuery+` LIMIT 20`, int64(0), int64(0), true, int64(1))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(plan, "\n")
	if !strings.Contains(text, "articles_taggings_tag (tag=?)") || strings.Contains(text, "TEMP B-TREE") {
		t.Errorf("the plan is\n%s", text)
	}
}
