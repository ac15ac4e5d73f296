package dashboards

import (
	"context"
	"embed"
	"errors"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations make the tables.
func Migrations() database.Migrations { return database.Embedded("dashboards", migrations) }

// The bounds of what a user may keep.
const (
	maxDashboards = 50
	maxGraphs     = 24
	maxTitle      = 200
	maxQuery      = 4000
)

// Dashboard is a page of graphs that one user keeps.
type Dashboard struct {
	ID        string
	UserID    int64
	Title     string
	CreatedAt time.Time
}

// Graph is one query and the span of time before now that it is drawn over.
type Graph struct {
	ID, Title, Query, Span string
	// place orders the graphs of a dashboard.
	place int64
}

// Problem is what a person has to correct.
type Problem struct{ Text string }

func (p *Problem) Error() string { return p.Text }

// Store keeps dashboards.
type Store struct {
	db    *database.DB
	clock clock.Clock
	ids   *ids.Source
}

// NewStore keeps dashboards in a database that Migrations have been applied to.
func NewStore(db *database.DB, c clock.Clock, source *ids.Source) *Store {
	return &Store{db: db, clock: c, ids: source}
}

// List are the dashboards of a user, oldest first.
func (s *Store) List(ctx context.Context, userID int64) ([]Dashboard, error) {
	return dashboardsOf(ctx, s.db, userID)
}

// Get is a dashboard of the user with its graphs; route.ErrNoRoute where the user has none
// of the id.
func (s *Store) Get(ctx context.Context, userID int64, id string) (Dashboard, []Graph, error) {
	d, err := dashboardByID(ctx, s.db, userID, id)
	if err != nil {
		return d, nil, missing(err)
	}
	graphs, err := graphsOf(ctx, s.db, id)
	return d, graphs, err
}

func missing(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return route.ErrNoRoute
	}
	return err
}

// Make makes an empty dashboard.
func (s *Store) Make(ctx context.Context, userID int64, title string) (Dashboard, error) {
	title = strings.TrimSpace(title)
	if title == "" || len(title) > maxTitle {
		return Dashboard{}, &Problem{"A dashboard needs a title of at most 200 bytes."}
	}
	d := Dashboard{ID: s.ids.UUID(), UserID: userID, Title: title, CreatedAt: s.clock.Now()}
	return d, s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		list, err := dashboardsOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		if len(list) >= maxDashboards {
			return &Problem{"There are 50 dashboards, which is all that is kept. Delete one first."}
		}
		return insertDashboard(ctx, tx, d)
	})
}

// Delete deletes a dashboard of the user with its graphs.
func (s *Store) Delete(ctx context.Context, userID int64, id string) error {
	return s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		return deleteDashboard(ctx, tx, userID, id)
	})
}

// Add puts a graph at the end of a dashboard.
func (s *Store) Add(ctx context.Context, userID int64, dashboard string, g Graph) error {
	g.Title, g.Query = strings.TrimSpace(g.Title), strings.TrimSpace(g.Query)
	if _, ok := spanOf(g.Span); !ok || g.Query == "" || len(g.Query) > maxQuery || len(g.Title) > maxTitle {
		return &Problem{"A graph needs a query, and a span of the list."}
	}
	g.ID = s.ids.UUID()
	return s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		if _, err := dashboardByID(ctx, tx, userID, dashboard); err != nil {
			return missing(err)
		}
		graphs, err := graphsOf(ctx, tx, dashboard)
		if err != nil {
			return err
		}
		if len(graphs) >= maxGraphs {
			return &Problem{"There are 24 graphs, which is all that one dashboard shows. Remove one first."}
		}
		if n := len(graphs); n > 0 {
			g.place = graphs[n-1].place + 1
		}
		return insertGraph(ctx, tx, dashboard, g)
	})
}

// Remove takes a graph off a dashboard of the user.
func (s *Store) Remove(ctx context.Context, userID int64, dashboard, graph string) error {
	return s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		if _, err := dashboardByID(ctx, tx, userID, dashboard); err != nil {
			return missing(err)
		}
		return deleteGraph(ctx, tx, dashboard, graph)
	})
}

// write runs the changes of one user one after the other.
func (s *Store) write(ctx context.Context, userID int64, f func(context.Context, *database.Tx) error) error {
	return s.db.WriteKeyed(ctx, "console:"+strconv.FormatInt(userID, 10), f)
}

// Span is a length of time that graphs are drawn over.
type Span struct {
	Name, Title string
	Length      time.Duration
}

// spans are what can be chosen.
func spans() []Span {
	const day = 24 * time.Hour
	return []Span{
		{"1h", "Last hour", time.Hour}, {"4h", "Last 4 hours", 4 * time.Hour}, {"1d", "Last day", day},
		{"7d", "Last 7 days", 7 * day}, {"30d", "Last 30 days", 30 * day},
	}
}

func spanOf(name string) (Span, bool) {
	for _, s := range spans() {
		if s.Name == name {
			return s, true
		}
	}
	return Span{}, false
}
