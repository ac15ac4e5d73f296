package locations

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// What a location may be, where the contract's reference or its successor gives
// a number.
const (
	maxLocationName = 100
	maxCity         = 64
	maxAddress      = 190
	maxAddressInfo  = 64
	maxRegion       = 64
	maxZip          = 16
	maxWebsite      = 255
	maxCategories   = 10
	maxCategory     = 100
	maxPhotos       = 100
	maxPhoto        = 2048
	maxDayRanges    = 2
	maxHolidays     = 30
	maxHolidayTimes = 3
	minPhoneDigits  = 7
	maxPhoneDigits  = 15
)

// checker collects every rule that a location breaks.
type checker struct {
	details []Detail
}

func (c *checker) bad(code DetailCode, field, message string) {
	c.details = append(c.details, Detail{Code: code, Field: field, Message: message})
}

func (c *checker) badAt(code DetailCode, field string, index int, message string) {
	c.details = append(c.details, Detail{Code: code, Field: field, Index: strconv.Itoa(index), Message: message})
}

// checkLocation checks a merged location against all rules. today is where the
// reopening date is measured from.
func checkLocation(l *Location, today time.Time) error {
	c := &checker{}
	c.text(l.LocationName, "locationName", maxLocationName, LocationNameRequired, LocationNameTooLong)
	c.text(l.City, "city", maxCity, CityRequired, CityTooLong)
	c.text(l.Address, "address", maxAddress, AddressRequired, AddressTooLong)
	c.text(l.AdditionalAddressInfo, "additionalAddressInfo", maxAddressInfo, "", AddressInfoTooLong)
	c.text(l.Region, "region", maxRegion, "", RegionTooLong)
	c.phone(l.Phone)
	c.postal(l)
	c.links(l)
	if p := l.Coordinates; p != nil && !p.Valid() {
		c.bad(CoordinatesInvalid, "coordinates", "lat must lie between -90 and 90 and lng between -180 and 180")
	}
	if l.ReopenDate != "" {
		c.reopen(l.ReopenDate, today)
	}
	c.week(l.BusinessHours)
	c.holidays(l)
	if len(c.details) > 0 {
		return errInvalid(c.details...)
	}
	return nil
}

// text checks a line; an empty required code makes it optional.
func (c *checker) text(value, field string, limit int, required, tooLong DetailCode) {
	switch {
	case required != "" && strings.TrimSpace(value) == "":
		c.bad(required, field, field+" is required")
	case utf8.RuneCountInString(value) > limit:
		c.bad(tooLong, field, field+" must have at most "+strconv.Itoa(limit)+" characters")
	case strings.ContainsFunc(value, unicode.IsControl):
		c.bad(MemberInvalid, field, field+" must not contain control characters")
	}
}

func (c *checker) phone(phone string) {
	if strings.TrimSpace(phone) == "" {
		c.bad(PhoneNotSpecified, "phone", "phone is required")
		return
	}
	rest, ok := strings.CutPrefix(phone, "+")
	digits := 0
	for _, r := range rest {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case !strings.ContainsRune(" ()-.", r):
			ok = false
		}
	}
	if !ok || digits < minPhoneDigits || digits > maxPhoneDigits || len(phone) > 32 {
		c.bad(PhoneInvalid, "phone", "phone must start with + and the international code and have 7 to 15 digits")
	}
}

// postal checks what depends on the country.
func (c *checker) postal(l *Location) {
	if l.Region == "" && slices.Contains([]string{"US", "CA", "AU", "BR", "IN"}, l.CountryCode) {
		c.bad(RegionRequired, "region", "region is required in "+l.CountryCode)
	}
	valid := len(l.Zip) <= maxZip && !strings.ContainsFunc(l.Zip, func(r rune) bool {
		return r != ' ' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if l.CountryCode == "US" && l.Zip != "" {
		valid = zipUS(l.Zip)
	}
	if !valid {
		c.bad(InvalidZipCode, "zip", "zip is not a postal code of "+l.CountryCode)
	}
}

// zipUS accepts five digits, or five, a dash and four.
func zipUS(zip string) bool {
	five, four, extended := strings.Cut(zip, "-")
	return len(five) == 5 && digits(five) && (!extended || len(four) == 4 && digits(four))
}

func digits(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

func (c *checker) links(l *Location) {
	if l.WebsiteURL != "" && !validLink(l.WebsiteURL, maxWebsite) {
		c.bad(WebsiteURLInvalid, "websiteUrl",
			"websiteUrl must start with http:// or https:// and have at most 255 characters")
	}
	if len(l.Categories) > maxCategories {
		c.bad(CategoriesInvalid, "categories", "categories must be at most 10")
	}
	for i, name := range l.Categories {
		valid := strings.TrimSpace(name) != "" && utf8.RuneCountInString(name) <= maxCategory &&
			!strings.ContainsFunc(name, unicode.IsControl)
		if !valid || slices.Index(l.Categories, name) != i {
			c.badAt(CategoriesInvalid, "categories", i, "a category must have 1 to 100 characters and be named once")
		}
	}
	if len(l.Photos) > maxPhotos {
		c.bad(PhotosInvalid, "photos", "photos must be at most 100")
		return
	}
	for i, photo := range l.Photos {
		if !validLink(photo, maxPhoto) {
			c.badAt(PhotosInvalid, "photos", i, "a photo must be an address that starts with http:// or https://")
		}
	}
}

func validLink(link string, limit int) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && len(link) <= limit
}

func (c *checker) reopen(text string, today time.Time) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || !day.After(today) || day.Year() >= 2038 {
		c.bad(ReopenDateInvalid, "reopenDate",
			"reopenDate must be a day after today and before 2038-01-01, written YYYY-MM-DD")
	}
}
