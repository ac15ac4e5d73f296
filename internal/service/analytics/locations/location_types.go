package locations

import "stoa.dev/stoa/internal/service/analytics/ranking"

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
