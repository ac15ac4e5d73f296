package analytics

import (
	"net/http"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/service/analytics/locations"
)

// faultDefinitions are the refusals of the service by name: the statuses of K-31 to
// K-40 in the common envelope, those of listings in theirs, and the table that the
// device flow shares with the device service.
func faultDefinitions() []module.Fault {
	projects := []string{"projects.create", "projects.delete", "projects.get", "projects.list", "projects.update"}
	campaigns := []string{
		"campaigns.create", "campaigns.delete", "campaigns.get", "campaigns.list", "campaigns.update", "campaigns.collect",
		"campaigns.metrics", "campaigns.heatmap", "campaigns.keywords", "campaigns.topCompetitors",
	}
	locationCalls := []string{"locations.list", "locations.get", "locations.update", "locations.updateMany"}
	data := slices.Concat([]string{"limits.get"}, projects, campaigns)
	all := slices.Concat(data, locationCalls)
	refused := func(name, description string, err error, operations []string) module.Fault {
		status, _ := statusOf(err)
		return module.Fault{
			Name: name, Status: status, Description: description, Operations: operations, Handle: module.Refuse(err),
		}
	}
	list := []module.Fault{
		refused("maintenance", "The service is in maintenance; the status is 553.",
			errUnavailable("the service is in maintenance; try again later"), all),
		refused("overloaded", "The service is overloaded; the status is 553.",
			errUnavailable("the service is overloaded; try again later"), all),
		refused("project_not_found", "The project does not exist, or belongs to another account.",
			errNotFound("there is no such project"), projects),
		refused("project_exists", "The account has a project for the domain already.",
			errConflict("you have a project for %s already", "example.com"), []string{"projects.create"}),
		refused("campaign_not_found", "The campaign does not exist, or belongs to another account.",
			errNotFound("there is no such campaign"), campaigns),
		refused("report_collecting", "A report of the campaign is being collected.",
			errConflict("a report of the campaign is being collected"), []string{"campaigns.collect"}),
		refused("credits_exhausted", "The credits of the month do not suffice.",
			errForbidden("the credits of this month do not suffice"), []string{"campaigns.collect"}),
		refused("validation_failed", "A member of the body breaks a rule; details name it.",
			errInvalidField("placeId", "names no known place"), []string{"campaigns.create", "campaigns.update"}),
		refused("too_many_requests", "The token has used up the requests of this second.",
			&limit.Exceeded{Decision: limit.Decision{Name: Name + ".requests", Limit: 10, RetryAfter: time.Second}}, data),
		{
			Name: "location_not_found", Status: http.StatusNotFound, Operations: []string{"locations.get", "locations.update"},
			Description: "The location does not exist; the answer is in the envelope of locations.",
			Handle:      module.Refuse(locations.NotFound()),
		},
	}
	return append(list, tokenFaults()...)
}

// tokenFaults are those of the device flow.
func tokenFaults() []module.Fault {
	var list []module.Fault
	for _, c := range []struct {
		code        oauth.Code
		description string
	}{
		{oauth.Pending, "The user has not yet allowed the application; poll again after the interval."},
		{oauth.SlowDown, "The application polls too often; wait longer between polls."},
		{oauth.Denied, "The user refused the application."},
		{oauth.Policy, "The policy of the account's administrator does not allow the requested scopes."},
		{oauth.InvalidClient, "The client is unknown or its secret is wrong."},
		{oauth.InvalidGrant, "The code was used, has expired or is not one."},
	} {
		list = append(list, module.Fault{
			Name: string(c.code), Status: c.code.Status(), Description: c.description,
			Operations: []string{"dag.device.token"},
			Handle:     module.Refuse(&oauth.Error{Code: c.code, Description: c.description}),
		})
	}
	return list
}
