package failures

import (
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// All are the refusals of the service by name, in the five statuses of F-72. status
// is the one that the service gives an error.
func All(service string, status func(error) int) []module.Fault {
	refused := func(name, description string, err error, operations ...string) module.Fault {
		return module.Fault{
			Name: name, Status: status(err), Description: description, Operations: operations,
			Handle: module.Refuse(err),
		}
	}
	return []module.Fault{
		refused("not_found", "The resource does not exist, or the caller may not see it.", refusal.Missing()),
		refused("rate_limit_exceeded", "The hourly budget is used up; the status is 403, since 429 is not in the contract.",
			&limit.Exceeded{Decision: limit.Decision{
				Name: service + ".requests", Limit: 1000, Used: 1000, RetryAfter: time.Hour,
			}}),
		refused("token_missing", "The operation needs a token and none arrived.", route.ErrNoCredential),
		refused("token_invalid", "The token is not known here.", &route.CredentialError{Reason: route.Unknown}),
		refused("not_author", "Only the author may change or delete the item.",
			refusal.New(refusal.Forbidden, "Only the author may change this item"), "items.update", "items.delete"),
		refused("not_member", "The caller is not a member of the team.",
			refusal.New(refusal.Forbidden, "You are not a member of this team")),
		refused("wrong_team_token", "The token belongs to another team.",
			refusal.New(refusal.Forbidden, "The token belongs to another team")),
		refused("too_many_tags", "The item has more tags than an item may have.",
			refusal.New(refusal.BadRequest, "tags must hold 1 to 5 tags"), "items.create", "items.update"),
		refused("code_used", "The code was exchanged for a token before.",
			refusal.New(refusal.BadRequest, "code is unknown, used or expired, or was given to another application"),
			"accessTokens.create"),
		refused("internal_server_error", "The service failed; the message names the request.",
			&route.UnavailableError{}),
	}
}
