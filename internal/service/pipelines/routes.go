package pipelines

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/route/hostmux"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

const (
	base        = vcs.Base
	projectPath = base + "/project/{vcs}/{username}/{project}"
	feedPath    = "/cc.xml"
	// answerTime is how long an answer may take.
	answerTime = 20 * time.Second
	// maxBody is far above what a trigger or a key needs.
	maxBody = 256 << 10
)

// routes is the operation table, first the contract's, then what its users need in addition. Paths below a number share
// one pattern for each method, because net/http cannot tell {build_num}/artifacts from checkout-key/{…}:
// handleBuildResource and act are their table.
func (s *Service) routes() []route.Route {
	public := func(path, name string, handle route.Handler) route.Route {
		return route.Route{
			Method: "GET", Pattern: projectPath + path, Name: name, Access: route.Optional, Handle: handle,
		}
	}
	resource := public("/{build_num}/{resource...}", "build_resource", s.handleBuildResource)
	resource.Streams = true
	list := []route.Route{
		{Method: "GET", Pattern: base + "/me", Name: "me", Access: route.Required, Handle: s.asUser(s.handleMe)},
		{Method: "GET", Pattern: base + "/projects", Name: "projects", Access: route.Required,
			Handle: s.handleProjects},
		{
			Method: "GET", Pattern: base + "/recent-builds", Name: "recent_builds", Access: route.Required,
			Handle: s.handleRecentBuilds,
		},
		public("", "project_builds", s.handleProjectBuilds),
		public("/tree/{branch...}", "branch_builds", s.handleBranchBuilds),
		public("/{build_num}", "build", s.onProject(http.StatusOK, project.RightRead, s.handleBuild)),
		resource,
		public("/status", "status", s.onProject(http.StatusOK, project.RightStatus, s.handleStatus)),
	}
	return append(append(list, s.projectRoutes()...), s.userRoutes()...)
}

// required is a route that needs a credential.
func required(method, pattern, name string, handle route.Handler) route.Route {
	return route.Route{
		Method: method, Pattern: pattern, Name: name, Access: route.Required, MaxBody: maxBody, Handle: handle,
	}
}

func (s *Service) projectRoutes() []route.Route {
	const (
		ok, created        = http.StatusOK, http.StatusCreated
		read, write, admin = project.RightRead, project.RightWrite, project.RightAdmin
	)
	on := func(method, path, name string, status int, need project.Right, op operation) route.Route {
		return required(method, projectPath+path, name, s.onProject(status, need, op))
	}
	asUser := func(method, path, name string, status int, need project.Right, op operation) route.Route {
		return required(method, projectPath+path, name, s.onProjectAsUser(status, need, op))
	}
	return []route.Route{
		on("POST", "", "trigger_project", created, write, s.handleTriggerProject),
		asUser("POST", "/build", "trigger_build", ok, write, s.handleTriggerBuild),
		on("POST", "/tree/{branch...}", "trigger_branch", created, write, s.handleTriggerBranch),
		on("POST", "/{build_num}/{action...}", "build_action", ok, write, s.handleBuildAction),
		asUser("POST", "/follow", "follow", ok, read, s.handleFollow),
		asUser("POST", "/unfollow", "unfollow", ok, read, s.handleUnfollow),
		on("POST", "/enable", "enable", ok, admin, s.handleEnable),
		on("DELETE", "/enable", "disable", ok, admin, s.handleDisable),
		asUser("POST", "/checkout-key", "create_checkout_key", created, admin, s.handleCreateCheckoutKey),
		on("GET", "/checkout-key", "checkout_keys", ok, read, s.handleCheckoutKeys),
		on("GET", "/checkout-key/{fingerprint}", "checkout_key", ok, read, s.handleCheckoutKey),
		on("DELETE", "/checkout-key/{fingerprint}", "delete_checkout_key", ok, admin, s.handleDeleteCheckoutKey),
		on("POST", "/ssh-key", "create_ssh_key", created, admin, s.handleCreateSSHKey),
		on("DELETE", "/ssh-key", "delete_ssh_key", ok, admin, s.handleDeleteSSHKey),

		// These are not in the contract.
		on("GET", "/envvar", "variables", ok, write, s.handleVariables),
		on("POST", "/envvar", "set_variable", created, write, s.handleSetVariable),
		on("GET", "/envvar/{name}", "variable", ok, write, s.handleVariable),
		on("PUT", "/envvar/{name}", "replace_variable", ok, write, s.handleReplaceVariable),
		on("DELETE", "/envvar/{name}", "delete_variable", ok, write, s.handleDeleteVariable),
		on("GET", "/settings", "settings", ok, write, s.handleSettings),
		on("PUT", "/settings", "change_settings", ok, admin, s.handleChangeSettings),
		asUser("GET", "/token", "tokens", ok, admin, s.handleTokens),
		asUser("POST", "/token", "create_token", created, admin, s.handleCreateToken),
		asUser("DELETE", "/token/{id}", "delete_token", ok, admin, s.handleDeleteToken),
		on("DELETE", "/build-cache", "delete_caches", ok, write, s.handleDeleteCaches),
		on("POST", "/hooks/{service}/test", "test_hook", ok, admin, s.handleTestHook),
		on("GET", "/users", "followers", ok, read, s.handleFollowers),
	}
}

// userRoutes are not in the contract.
func (s *Service) userRoutes() []route.Route {
	return []route.Route{
		required("GET", base+"/user/repos", "user_repos", s.asUser(s.handleUserRepos)),
		required("POST", base+"/user/follow-projects", "follow_projects", s.asUser(s.handleFollowProjects)),
		required("PUT", base+"/user/save-preferences", "save_preferences", s.asUser(s.handleSavePreferences)),
		required("POST", base+"/user/heroku-key", "retired_key", s.handleRetiredKey),
	}
}

func (s *Service) muxOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service:    Name,
		WriteError: s.writeError,
		Extract: credential.FirstOf(
			credential.Header(s.words.tokenHeaders...), credential.Bearer(), credential.BasicUser(),
			credential.Query(s.words.tokenQueries...),
		),
		Authenticate: s.identity.Authenticator(Name),
		Gate:         s.gate,
		Timeout:      answerTime,
	})
}

// handler serves the API and, below the words of the code hosts, the pages, each in an envelope of its own.
func (s *Service) handler(api http.Handler) http.Handler {
	pages := s.web.Handler(s.muxOptions(), s.classify)
	mux := hostmux.New(api)
	for _, prefix := range olderPaths() {
		mux.Prefix(prefix, s.olderVersion(api))
	}
	for _, prefix := range append(s.names.PagePrefixes(), feedPath) {
		mux.Prefix(prefix, pages)
	}
	return mux
}
