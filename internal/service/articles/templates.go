package articles

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
)

// CreateTemplate keeps a beginning for the team's items.
func (s *Service) CreateTemplate(ctx context.Context, v Visit, t Template, group string) (Template, error) {
	for name, text := range map[string]string{"name": t.Name, "title": t.Title} {
		if strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxTitle {
			return Template{}, errBad(name + " must have 1 to 255 characters")
		}
	}
	if t.Body == "" {
		return Template{}, errBad("body is missing")
	}
	if err := checkTags(t.Tags, false); err != nil {
		return Template{}, err
	}
	for n := range t.Tags {
		t.Tags[n].Versions = versions(t.Tags[n])
	}
	t.TeamID, t.CreatedAt = v.teamID(), s.now()
	t.UpdatedAt = t.CreatedAt
	err := s.world.DB.WriteKeyed(ctx, userKey(v.userID()), func(tx *database.Tx) (err error) {
		if group != "" {
			if t.GroupNumber, err = s.store.groupNumber(ctx, tx, t.TeamID, group); err != nil {
				return err
			}
		}
		t.Number, err = s.store.insertTemplate(ctx, tx, t)
		return err
	})
	return t, err
}

// DeleteTemplate deletes a template of the team.
func (s *Service) DeleteTemplate(ctx context.Context, v Visit, number int64) error {
	return s.world.DB.WriteKeyed(ctx, userKey(v.userID()), func(tx *database.Tx) error {
		gone, err := s.store.deleteTemplate(ctx, tx, v.teamID(), number)
		if err == nil && gone == 0 {
			return errNotFound()
		}
		return err
	})
}

// expand puts values in the place of variables. What is no variable stays.
func expand(text string, now time.Time, me string) string {
	if !strings.Contains(text, "%{") {
		return text
	}
	pairs := []string{"%{me}", me}
	for name, value := range map[string]string{
		"Year": now.Format("2006"), "year": now.Format("06"), "month": now.Format("01"), "day": now.Format("02"),
		"hour": now.Format("15"), "min": now.Format("04"), "sec": now.Format("05"), "wday": fmt.Sprint(int(now.Weekday())),
	} {
		pairs = append(pairs, "%{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func expandTags(tags []Tagging, now time.Time, me string) []Tagging {
	out := make([]Tagging, len(tags))
	for n, t := range tags {
		out[n] = Tagging{Name: expand(t.Name, now, me), Versions: versions(t)}
	}
	return out
}
