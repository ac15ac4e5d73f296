package pipelines

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/wirefault"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// faultDefinitions are the failures of the service by name.
func (s *Service) faultDefinitions() []module.Fault {
	triggers := []string{"trigger_project", "trigger_build", "trigger_branch", "build_action"}
	builds := []string{"build", "build_resource", "build_action"}
	refused := func(name, description string, status int, err error, operations ...string) module.Fault {
		return module.Fault{
			Name: name, Status: status, Description: description, Operations: operations, Handle: module.Refuse(err),
		}
	}
	return []module.Fault{
		{
			Name: build.InfrastructureFault, Operations: triggers,
			Description: "The call succeeds, and the builds that it makes end as infrastructure_fail.",
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				return r.Route.Handle(w, r.InContext(wirefault.Mark(r.Context(), build.InfrastructureFault)))
			},
		},
		refused("build_not_found", "The build does not exist, or the caller may not see it.",
			http.StatusNotFound, errBuildNotFound(), builds...),
		refused("branch_not_found", "The branch does not exist any more.",
			http.StatusNotFound, errBranchNotFound(), "trigger_branch", "trigger_project", "trigger_build", "branch_builds"),
		refused("project_not_found", "The project does not exist, or the caller may not see it.",
			http.StatusNotFound, errNotFound("Project not found")),
		refused("login_required", "The project is private and the request has no token.",
			http.StatusUnauthorized, route.ErrNoCredential),
		refused("permission_denied", "The caller may read the project and not change it.",
			http.StatusForbidden, refusal.New(refusal.Forbidden, "Permission denied"), triggers...),
		refused("too_many_jobs", "The owner has as many unfinished jobs as one may have.",
			http.StatusTooManyRequests, refusal.New(refusal.Busy, "Too many jobs: finish or cancel some first"), triggers...),
		refused("throttled", "The caller has used up the requests; Retry-After says how long to wait.",
			http.StatusTooManyRequests, &limit.Exceeded{Decision: limit.Decision{
				Name: Name + ".requests", Limit: 60, Used: 60, RetryAfter: time.Minute,
			}}),
		refused("configuration_missing", "The configuration has no job for the branch or tag.",
			http.StatusBadRequest, errInvalid("the configuration has no job for this branch or tag"), triggers[:3]...),
		refused("artifact_expired", "The artifact was kept as long as it is kept.",
			http.StatusGone, errGone("the artifact has expired"), "build_resource"),
		refused("not_approvable", "The job does not wait for an approval any more.",
			http.StatusConflict, errConflict("job %s does not wait for an approval", refusal.Quote("deploy")), "build_action"),
	}
}
