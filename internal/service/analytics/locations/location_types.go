package locations

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// Location is a business at one address, as it is stored and answered.
type Location struct {
	ID                    string               `json:"id"`
	LocationName          string               `json:"locationName"`
	City                  string               `json:"city"`
	Address               string               `json:"address"`
	AdditionalAddressInfo string               `json:"additionalAddressInfo"`
	Phone                 string               `json:"phone"`
	Region                string               `json:"region"`
	Zip                   string               `json:"zip"`
	WebsiteURL            string               `json:"websiteUrl"`
	CountryCode           string               `json:"countryCode"`
	Categories            []string             `json:"categories"`
	Coordinates           *ranking.Coordinates `json:"coordinates,omitempty"`
	BusinessHours         *WeekHours           `json:"businessHours,omitempty"`
	HolidayHours          []HolidayHour        `json:"holidayHours"`
	ReopenDate            string               `json:"reopenDate,omitempty"`
	Photos                []string             `json:"photos"`
	Status                string               `json:"status"`
	Errors                []Problem            `json:"errors"`
}

// WeekHours are the opening times of every day; an empty day is closed.
type WeekHours struct {
	Monday    []TimeRange `json:"monday"`
	Tuesday   []TimeRange `json:"tuesday"`
	Wednesday []TimeRange `json:"wednesday"`
	Thursday  []TimeRange `json:"thursday"`
	Friday    []TimeRange `json:"friday"`
	Saturday  []TimeRange `json:"saturday"`
	Sunday    []TimeRange `json:"sunday"`
}

// TimeRange is from HH:mm to HH:mm. One that ends before it starts runs past
// midnight; 00:00 to 00:00 is all day.
type TimeRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// HolidayHour is a day with times of its own.
type HolidayHour struct {
	Type  HolidayType `json:"type"`
	Day   string      `json:"day"`
	Times []TimeRange `json:"times,omitempty"`
}

// HolidayType says how a special day differs.
type HolidayType string

// The types of special days. Only a RANGE carries times.
const (
	HolidayRegular HolidayType = "REGULAR"
	HolidayClosed  HolidayType = "CLOSED"
	HolidayAllDay  HolidayType = "OPENED_ALL_DAY"
	HolidayRange   HolidayType = "RANGE"
)

// Problem is what a directory said about the data of a location.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// statusComplete means that a location is published everywhere.
const statusComplete = "COMPLETE"

// LocationChange is what an update sends: required members must be there,
// absent optional members keep their value and null clears them.
type LocationChange struct {
	ID                    wire.Optional[string]              `json:"id"`
	LocationName          wire.Optional[string]              `json:"locationName"`
	City                  wire.Optional[string]              `json:"city"`
	Address               wire.Optional[string]              `json:"address"`
	AdditionalAddressInfo wire.Optional[string]              `json:"additionalAddressInfo"`
	Phone                 wire.Optional[string]              `json:"phone"`
	Region                wire.Optional[string]              `json:"region"`
	Zip                   wire.Optional[string]              `json:"zip"`
	WebsiteURL            wire.Optional[string]              `json:"websiteUrl"`
	Categories            wire.Optional[[]string]            `json:"categories"`
	Coordinates           wire.Optional[ranking.Coordinates] `json:"coordinates"`
	BusinessHours         wire.Optional[WeekHours]           `json:"businessHours"`
	HolidayHours          wire.Optional[[]HolidayHour]       `json:"holidayHours"`
	ReopenDate            wire.Optional[string]              `json:"reopenDate"`
	Photos                wire.Optional[[]string]            `json:"photos"`

	// What answers have and updates cannot change: a location may be sent back as it was
	// read, and is refused with other values.
	CountryCode wire.Optional[string]    `json:"countryCode"`
	Status      wire.Optional[string]    `json:"status"`
	Errors      wire.Optional[[]Problem] `json:"errors"`
}

// keeps refuses a change of what cannot be changed.
func (c *LocationChange) keeps(l *Location) error {
	check := &checker{}
	if v, ok := c.CountryCode.Get(); ok && !strings.EqualFold(v, l.CountryCode) {
		check.bad(MemberInvalid, "countryCode", "countryCode cannot be changed")
	}
	if v, ok := c.Status.Get(); ok && v != l.Status {
		check.bad(MemberInvalid, "status", "status cannot be changed")
	}
	if v, ok := c.Errors.Get(); ok && !slices.Equal(v, l.Errors) {
		check.bad(MemberInvalid, "errors", "errors cannot be changed")
	}
	if len(check.details) > 0 {
		return errInvalid(check.details...)
	}
	return nil
}

// apply merges the change. The required members are replaced whether they were
// sent or not, so that a missing one is found by the check.
func (c *LocationChange) apply(l Location) Location {
	l.LocationName, l.City, l.Address, l.Phone = c.LocationName.Value, c.City.Value, c.Address.Value, c.Phone.Value
	c.AdditionalAddressInfo.Apply(&l.AdditionalAddressInfo)
	c.Region.Apply(&l.Region)
	c.Zip.Apply(&l.Zip)
	c.WebsiteURL.Apply(&l.WebsiteURL)
	c.Categories.Apply(&l.Categories)
	c.HolidayHours.Apply(&l.HolidayHours)
	c.ReopenDate.Apply(&l.ReopenDate)
	c.Photos.Apply(&l.Photos)
	if c.Coordinates.Present {
		l.Coordinates = pointer(c.Coordinates)
	}
	if c.BusinessHours.Present {
		l.BusinessHours = pointer(c.BusinessHours)
	}
	return l.withLists()
}

func pointer[T any](o wire.Optional[T]) *T {
	if v, ok := o.Get(); ok {
		return &v
	}
	return nil
}

// withLists turns absent lists into empty ones: readers always get a list.
func (l Location) withLists() Location {
	if l.Categories == nil {
		l.Categories = []string{}
	}
	if l.HolidayHours == nil {
		l.HolidayHours = []HolidayHour{}
	}
	if l.Photos == nil {
		l.Photos = []string{}
	}
	if l.Errors == nil {
		l.Errors = []Problem{}
	}
	if h := l.BusinessHours; h != nil {
		full := *h
		for _, day := range full.days() {
			if *day.times == nil {
				*day.times = []TimeRange{}
			}
		}
		l.BusinessHours = &full
	}
	return l
}

type weekday struct {
	name  string
	times *[]TimeRange
}

func (h *WeekHours) days() []weekday {
	return []weekday{
		{"monday", &h.Monday},
		{"tuesday", &h.Tuesday},
		{"wednesday", &h.Wednesday},
		{"thursday", &h.Thursday},
		{"friday", &h.Friday},
		{"saturday", &h.Saturday},
		{"sunday", &h.Sunday},
	}
}
