package calendar

import (
	"context"
	"embed"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/readcache"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/calendar/acl"
	"stoa.dev/stoa/internal/service/calendar/apidescription"
	"stoa.dev/stoa/internal/service/calendar/channel"
	"stoa.dev/stoa/internal/service/calendar/conductrules"
	"stoa.dev/stoa/internal/service/calendar/consoleresources"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/eventpage"
	"stoa.dev/stoa/internal/service/calendar/failures"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/ownedrows"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/settings"
)

// Name is the service's name in configuration, tables, limits and jobs.
const Name = "calendar"

// Service keeps calendars and notifies channels when they change.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
	channels *channel.Channels
	rules    *acl.Rules
	entries  *listentry.Entries
	settings *settings.UserSettings
	tokens   *listing.Tokens // of pages and syncs
	// conferenceKinds is the one value of conferenceProperties; conferences answers requests for one.
	conferenceKinds json.RawMessage
	conferences     event.Conferences
	// lists keeps lists of events, under the versions they were made of.
	lists     *memo.Cache[string, memo.Answer]
	users     *readcache.Cache[int64, user]
	calendars *readcache.Cache[string, calendarRow]
	// expanding is one place per user for lists that expand series.
	expanding *budget.Pool
}

// The answers and the rows that are kept, in bytes.
const (
	listCacheMemory = 16 << 20
	rowCacheMemory  = 1 << 20
)

// expandingOptions lets a user expand one list at a time, and the process eight.
func expandingOptions() budget.Options {
	return budget.Options{Name: "lists of instances", Total: 8, PerOwner: 1, Wait: 10 * time.Second}
}

// New builds the service and touches no store.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	s := &Service{
		world: w, identity: identity, config: c,
		channels: channel.New(w, channel.Config{
			Service: Name, Lifetime: c.ChannelLifetime, PerResource: c.ChannelsPerResource,
			MayGoOn: func(ctx context.Context, q database.Querier, by channel.Client, now time.Time) error {
				return grants.Initiator(by).MayGoOn(ctx, q, now)
			},
		}),
		lists: memo.NewAnswers(listCacheMemory), expanding: budget.New(expandingOptions()),
		users: readcache.New(rowCacheMemory, userByID, func(_ int64, u user) int { return len(u.address) + len(u.name) }),
		calendars: readcache.New(rowCacheMemory, readCalendar, func(id string, c calendarRow) int {
			return 256 + len(id) + len(c.doc.Summary) + len(c.doc.Description) + len(c.doc.Location) +
				len(c.doc.ConferenceProperties) + len(c.doc.LabelProperties)
		}),
	}
	if w.Seal != nil {
		s.tokens = listing.New(page.NewSealer(w.Seal.Derive("calendar.pages")), w.Clock, c.SyncLifetime)
	}
	s.settings = s.newSettings()
	s.rules = acl.New(identity, s.ruleSaved)
	s.entries = listentry.NewEntries(func(ctx context.Context, tx *database.Tx, user int64, now time.Time) error {
		return s.channels.Changed(ctx, tx, listOf(user), now)
	})
	w.ShowCache("calendar.lists", s.lists.Stats)
	w.ShowCache("calendar.users", s.users.Stats)
	w.ShowCache("calendar.calendars", s.calendars.Stats)
	w.ShowCache("calendar.rules", s.rules.CacheStats)
	kind := w.Dialect.Says(dialect.ConferenceMeet)
	s.conferenceKinds = encodeDoc(map[string][]string{"allowedConferenceSolutionTypes": {kind}})
	s.conferences = event.Conferences{
		Kind: kind, Address: c.ConferenceURL, NewID: func() string { return w.IDs.Text("abcdefghijkmnopqrstuvwxyz", 12) },
	}
	return s
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources: consoleresources.All(), Owned: ownedrows.All(),
		Name:            Name,
		Sealed:          channel.SealedRows(Name),
		Title:           "Calendars and change notifications",
		Letter:          "H",
		Prefixes:        []string{pathBase, eventpage.Base},
		Handler:         s.handler(routes),
		Conduct:         conductrules.Rules(),
		Faults:          failures.Catalogue(statusOf),
		Routes:          routes,
		API:             apidescription.API(Name, pathBase),
		Migrations:      migrations(),
		Jobs:            s.jobs(),
		Start:           s.start,
		Scopes:          permission.Scopes(),
		Commands:        s.commands(),
		Demo:            s.demo,
		Seeds:           s.seeds(),
		DemoCredentials: identity.DemoTokens(),
		CommandGroups:   []module.CommandGroup{{Name: "calendar", Short: "Set up users' calendars"}},
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell: `curl -H "Authorization: Bearer $STOA_TOKEN" ` +
				`"$STOA_URL/calendar/v3/calendars/primary/events?singleEvents=true&orderBy=startTime&maxResults=5"`,
		},
	}
}

// now is now, as precise as etags and stamps are.
func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Millisecond) }

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }

// writeKey is the lock that orders the changes of a calendar.
func writeKey(calendar string) string { return Name + " " + calendar }
