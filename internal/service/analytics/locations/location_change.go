package locations

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

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
