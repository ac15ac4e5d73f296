package calendar

// freeBusyRequest is the body of the question.
type freeBusyRequest struct {
	TimeMin              string `json:"timeMin"`
	TimeMax              string `json:"timeMax"`
	TimeZone             string `json:"timeZone"`
	GroupExpansionMax    *int   `json:"groupExpansionMax"`
	CalendarExpansionMax *int   `json:"calendarExpansionMax"`
	Items                []struct {
		ID string `json:"id"`
	} `json:"items"`
}

// freeBusyJSON is FreeBusyResponse of the contract.
type freeBusyJSON struct {
	Kind      string                `json:"kind"`
	TimeMin   string                `json:"timeMin"`
	TimeMax   string                `json:"timeMax"`
	Groups    map[string]*groupJSON `json:"groups,omitempty"`
	Calendars map[string]*busyJSON  `json:"calendars"`
}

type groupJSON struct {
	Errors    []busyErrorJSON `json:"errors,omitempty"`
	Calendars []string        `json:"calendars,omitempty"`
}

type busyJSON struct {
	Errors []busyErrorJSON `json:"errors,omitempty"`
	Busy   []periodJSON    `json:"busy"`
}

type periodJSON struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

type busyErrorJSON struct {
	Domain string `json:"domain"`
	Reason string `json:"reason"`
}

func busyError(reason string) []busyErrorJSON {
	return []busyErrorJSON{{Domain: "global", Reason: reason}}
}
