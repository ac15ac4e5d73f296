package locations

// Code is error.code of the local envelope.
type Code string

// The first three are the contract's; the others tell the statuses apart that it
// has no code for.
const (
	CodeBadRequest Code = "BAD_REQUEST"
	CodeNotFound   Code = "RESOURCE_NOT_FOUND"
	CodeInvalid    Code = "VALIDATION_ERROR"

	CodeUnauthorized Code = "UNAUTHORIZED"
	CodeForbidden    Code = "FORBIDDEN"
	CodeTooMany      Code = "TOO_MANY_REQUESTS"
	CodeMethod       Code = "METHOD_NOT_SUPPORTED"
	CodeUnavailable  Code = "SERVICE_UNAVAILABLE"
	CodeTimeout      Code = "GATEWAY_TIMEOUT"
	CodeClientGone   Code = "CLIENT_CLOSED_REQUEST"
	CodeInternal     Code = "INTERNAL_ERROR"
)

// DetailCode names one rule that a location breaks.
type DetailCode string

// The first four are the contract's; the others follow them in
// style, where the contract has none.
const (
	LocationsNotUnique DetailCode = "LOCATIONS_ARE_NOT_UNIQUE"
	LocationNotFound   DetailCode = "LOCATION_NOT_FOUND"
	TimesNotAllowed    DetailCode = "TIMES_NOT_ALLOWED"
	TimesTooMany       DetailCode = "TIMES_TOO_MANY_RANGES"

	LocationsEmpty        DetailCode = "LOCATIONS_EMPTY"
	LocationsTooMany      DetailCode = "LOCATIONS_TOO_MANY"
	LocationIDRequired    DetailCode = "LOCATION_ID_REQUIRED"
	LocationIDMismatch    DetailCode = "LOCATION_ID_MISMATCH"
	MemberInvalid         DetailCode = "MEMBER_INVALID"
	LocationNameRequired  DetailCode = "LOCATION_NAME_REQUIRED"
	LocationNameTooLong   DetailCode = "LOCATION_NAME_TOO_LONG"
	CityRequired          DetailCode = "CITY_REQUIRED"
	CityTooLong           DetailCode = "CITY_TOO_LONG"
	AddressRequired       DetailCode = "ADDRESS_REQUIRED"
	AddressTooLong        DetailCode = "ADDRESS_TOO_LONG"
	AddressInfoTooLong    DetailCode = "ADDITIONAL_ADDRESS_INFO_TOO_LONG"
	PhoneNotSpecified     DetailCode = "PHONE_NOT_SPECIFIED"
	PhoneInvalid          DetailCode = "PHONE_INVALID"
	RegionRequired        DetailCode = "REGION_REQUIRED"
	RegionTooLong         DetailCode = "REGION_TOO_LONG"
	InvalidZipCode        DetailCode = "INVALID_ZIP_CODE"
	WebsiteURLInvalid     DetailCode = "WEBSITE_URL_INVALID"
	CategoriesInvalid     DetailCode = "CATEGORIES_INVALID"
	CoordinatesInvalid    DetailCode = "COORDINATES_INVALID"
	PhotosInvalid         DetailCode = "PHOTOS_INVALID"
	ReopenDateInvalid     DetailCode = "REOPEN_DATE_INVALID"
	BusinessHoursRequired DetailCode = "BUSINESS_HOURS_REQUIRED"
	HolidaysTooMany       DetailCode = "HOLIDAY_HOURS_TOO_MANY"
	TypeUnknown           DetailCode = "TYPE_UNKNOWN"
	DayInvalid            DetailCode = "DAY_INVALID"
	DayNotUnique          DetailCode = "DAY_NOT_UNIQUE"
	TimesRequired         DetailCode = "TIMES_REQUIRED"
	TimesOverlap          DetailCode = "TIMES_OVERLAP"
	TimeFormatInvalid     DetailCode = "TIME_FORMAT_INVALID"
	PageInvalid           DetailCode = "PAGE_INVALID"
)

// Detail is one broken rule. Index is the position in the list that Field
// names, as text.
type Detail struct {
	Code    DetailCode
	Message string
	Field   string
	Index   string
}

// Error is a refusal of the listing methods.
type Error struct {
	Code    Code
	Details []Detail
}

// Error depends on the code alone; what is wrong in particular stands in the
// details.
func (e *Error) Error() string {
	switch e.Code {
	case CodeNotFound:
		return "the resource is not found"
	case CodeInvalid:
		return "the data is invalid"
	case CodeBadRequest, CodeUnauthorized, CodeForbidden, CodeTooMany, CodeMethod, CodeUnavailable, CodeTimeout,
		CodeClientGone, CodeInternal:
	}
	return "the request is invalid in this state of the resource"
}

func errBadRequest(details ...Detail) *Error { return &Error{Code: CodeBadRequest, Details: details} }

func errInvalid(details ...Detail) *Error { return &Error{Code: CodeInvalid, Details: details} }

// NotFound refuses a location that does not exist.
func NotFound() *Error { return errNotFound("0") }

func errNotFound(id string) *Error {
	detail := Detail{Code: LocationNotFound, Message: "there is no location " + id, Field: "id"}
	return &Error{Code: CodeNotFound, Details: []Detail{detail}}
}
