package calendar

import (
	"embed"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/calendar/channel"
	"stoa.dev/stoa/internal/service/calendar/clientconduct"
	"stoa.dev/stoa/internal/service/calendar/failures"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/resources"
)

// Name is the service's name in configuration, tables, limits and jobs.
const Name = "calendar"

// Service keeps calendars and notifies channels when they change.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
	channels *channel.Keeper
	tokens   *listing.Tokens // of pages and syncs
	// conferences is the one value of conferenceProperties.
	conferences json.RawMessage
	// lists keeps lists of events, under the versions they were made of.
	lists *memo.Cache[string, memo.Answer]
	// expanding is one place per user for lists that expand series.
	expanding *budget.Pool
}

// listCacheMemory bounds the answers that are kept, in bytes.
const listCacheMemory = 16 << 20

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
		}),
		lists: memo.NewAnswers(listCacheMemory), expanding: budget.New(expandingOptions()),
	}
	if w.Seal != nil {
		s.tokens = listing.New(page.NewSealer(w.Seal.Derive("calendar.pages")), w.Clock, c.SyncLifetime)
	}
	w.ShowCache("calendar.lists", s.lists.Stats)
	kinds := []string{w.Dialect.Says(dialect.ConferenceMeet)}
	s.conferences = encodeDoc(map[string][]string{"allowedConferenceSolutionTypes": kinds})
	return s
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources:       resources.All(),
		Name:            Name,
		Title:           "Calendars and change notifications",
		Letter:          "H",
		Prefixes:        []string{"/calendar/v3"},
		Handler:         route.New(s.muxOptions(), routes),
		Conduct:         clientconduct.Rules(),
		Faults:          failures.Catalogue(statusOf),
		Routes:          routes,
		Migrations:      migrations(),
		Jobs:            s.jobs(),
		Start:           s.start,
		Scopes:          scopes(),
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

// scopes are all the API family has for calendars.
func scopes() []module.Scope {
	words := [][2]string{
		{"calendar", "see, edit, share and delete all the calendars you can access"},
		{"calendar.readonly", "see any calendar you can access"},
		{"calendar.acls", "see and change who may see the calendars you own"},
		{"calendar.acls.readonly", "see who may see the calendars you own"},
		{"calendar.app.created", "make calendars, and see, change and delete events on them"},
		{"calendar.calendarlist", "see, add and remove calendars on your list"},
		{"calendar.calendarlist.readonly", "see the calendars on your list"},
		{"calendar.calendars", "see and change the properties of calendars, and make calendars"},
		{"calendar.calendars.readonly", "see the properties of calendars you can access"},
		{"calendar.events", "see and edit events on all your calendars"},
		{"calendar.events.freebusy", "see when you are free or busy"},
		{"calendar.events.owned", "see, make, change and delete events on calendars you own"},
		{"calendar.events.owned.readonly", "see the events on calendars you own"},
		{"calendar.events.public.readonly", "see the events on public calendars"},
		{"calendar.events.readonly", "see events on all your calendars"},
		{"calendar.freebusy", "see when you and others are free or busy"},
		{"calendar.settings", "see and change your calendar settings"},
		{"calendar.settings.readonly", "see your calendar settings"},
	}
	all := make([]module.Scope, len(words))
	for i, w := range words {
		all[i] = module.Scope{Name: w[0], Based: true, Description: w[1]}
	}
	return all
}

// restrictedScopes open an operation on some calendars only.
func restrictedScopes() []string {
	return []string{
		"calendar.app.created", "calendar.events.owned", "calendar.events.owned.readonly",
		"calendar.events.public.readonly",
		"calendar.events.freebusy",
	}
}

// now is now, as precise as etags and stamps are.
func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Millisecond) }

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }

// writeKey is the lock that orders the changes of a calendar.
func writeKey(calendar string) string { return Name + " " + calendar }
