package analytics

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/analytics/places"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

func TestStore(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		write := func(fn func(ctx context.Context, tx *database.Tx) error) {
			t.Helper()
			if err := db.Write(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		t.Run("a domain belongs to one project of an owner", func(t *testing.T) {
			p := Project{ID: 1, OwnerID: 7, Name: "a", URL: "a.example", CreatedAt: now, UpdatedAt: now}
			write(func(ctx context.Context, tx *database.Tx) error { return insertProject(ctx, tx, p) })
			got, err := projectByID(t.Context(), db, 1)
			if diff := cmp.Diff(p, got); diff != "" || err != nil {
				t.Errorf("project: %v (-want +got):\n%s", err, diff)
			}
			p.ID = 2
			err = db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				return insertProject(ctx, tx, p)
			})
			if !errors.Is(err, database.ErrUnique) {
				t.Errorf("the same domain: got %v, want ErrUnique", err)
			}
		})
		t.Run("a listed place keeps its rating", func(t *testing.T) {
			p := ranking.Place{
				ID: "p", CID: "1", Name: "a", Address: "b", Country: "DE", Categories: []string{"x"},
				Rating: 4.5, Reviews: 9, Lat: 52.5, Lng: -179.9,
			}
			index := places.New(db)
			if err := index.Put(t.Context(), []ranking.Place{p}); err != nil {
				t.Fatal(err)
			}
			listed := p
			listed.Name, listed.Rating, listed.Reviews = "c", 0, 0
			write(func(ctx context.Context, tx *database.Tx) error { return places.UpsertListed(ctx, tx, listed) })
			p.Name = "c"
			query := ranking.Query{Keywords: []string{"c"}, Points: []ranking.Coordinates{p.At()}, Depth: 1}
			got, err := index.Rank(t.Context(), query)
			if diff := cmp.Diff([]ranking.Place{p}, got.Places); diff != "" || err != nil {
				t.Errorf("places: %v (-want +got):\n%s", err, diff)
			}
		})
		t.Run("a campaign takes its reports with it", func(t *testing.T) {
			c := Campaign{
				ID: "c", OwnerID: 7, Name: "n", Status: StatusCreated, NextReport: now, CreatedAt: now,
				StatusUpdatedAt: now,
				Settings: Settings{
					Keywords: []Keyword{{"k", "bakery"}}, Points: []MapPoint{{ID: "p", IsEnabled: true}},
				},
			}
			r := Report{CampaignID: "c", Date: now, State: StatusCollected, Keywords: c.Keywords, Points: c.Points}
			doc := keywordRanks{Places: []ranking.Place{{ID: "p", CID: "1"}}, Ranks: [][]int{{0}}}
			known := keywordRanks{Places: []ranking.Place{{ID: "p", CID: "1", Name: "n", Rating: 4}}, Ranks: doc.Ranks}
			write(func(ctx context.Context, tx *database.Tx) error {
				return errors.Join(insertCampaign(ctx, tx, c), upsertReport(ctx, tx, r), insertRanking(
					ctx, tx, r, "k", known,
				))
			})
			got, err := campaignByID(t.Context(), db, "c")
			if diff := cmp.Diff(c, got); diff != "" || err != nil {
				t.Errorf("campaign: %v (-want +got):\n%s", err, diff)
			}
			if got, err := rankingByKeyword(t.Context(), db, "c", now, "k"); err != nil || cmp.Diff(doc, got) != "" {
				t.Errorf("ranking: got %v %v, want %v", got, err, doc)
			}
			if got, err := rankingFacts(t.Context(), db, "c", now, "k"); err != nil || cmp.Diff(known, got) != "" {
				t.Errorf("facts: got %v %v, want %v", got, err, known)
			}
			write(func(ctx context.Context, tx *database.Tx) error { return deleteCampaign(ctx, tx, "c") })
			if _, err := reportByDate(t.Context(), db, "c", now); !errors.Is(err, database.ErrNotFound) {
				t.Errorf("report: got %v, want ErrNotFound", err)
			}
			if got, err := rankingByKeyword(t.Context(), db, "c", now, "k"); err != nil || len(got.Places) != 0 {
				t.Errorf("ranking after the campaign: got %v %v", got, err)
			}
		})
		t.Run("credits add up", func(t *testing.T) {
			for range 2 {
				write(func(ctx context.Context, tx *database.Tx) error {
					return addCreditsSpent(ctx, tx, 7, "2026-03", 20)
				})
			}
			if got, err := creditsSpent(t.Context(), db, 7, "2026-03"); err != nil || got != 40 {
				t.Errorf("spent: got %d %v, want 40", got, err)
			}
		})
		t.Run("old keys go", func(t *testing.T) {
			write(func(ctx context.Context, tx *database.Tx) error {
				return upsertRetry(ctx, tx, Project{ID: 1, OwnerID: 7, CreatedAt: now}, "k", "f")
			})
			for _, until := range []time.Time{now.Add(-time.Second), now} {
				id, _, err := retryByKey(t.Context(), db, 7, "k", until)
				if kept := until.Before(now); kept != (err == nil && id == 1) || !kept && !errors.Is(err, database.ErrNotFound) {
					t.Errorf("key of %s after %s: project %d, %v", now, until, id, err)
				}
				write(func(ctx context.Context, tx *database.Tx) error { return deleteRetries(ctx, tx, until) })
				if n, err := countRetries(t.Context(), db, 7); err != nil || (n == 1) != until.Before(now) {
					t.Errorf("keys after those until %s were deleted: %d, %v", until, n, err)
				}
			}
		})
	}, migrationFiles())
}
