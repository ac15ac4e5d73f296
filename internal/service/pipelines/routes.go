package pipelines

import (
	"net/http"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/route"
)

// base is the path of the API; version 1.1 brought the vcs-type segment.
const base = "/api/v1.1"

const (
	projectPath = base + "/project/{vcs}/{username}/{project}"
	// answerTime is how long an answer may take.
	answerTime = 20 * time.Second
	// maxBody is far above what a trigger or a key needs.
	maxBody = 256 << 10
)

// prefixes are what the service owns: the API, and the pages and badges below
// the words of the code hosts.
func (s *Service) prefixes() []string {
	list := []string{base, "/cc.xml"}
	for _, names := range s.words.shortNames {
		for _, name := range names {
			list = append(list, "/"+name)
		}
	}
	return list
}

// routes is the operation table, first the contract's, then what its users
// need besides. Paths below a number share one pattern for each method,
// because net/http cannot tell {build_num}/artifacts from checkout-key/{…}:
// resourceOf and actionOf are their table.
func (s *Service) routes() []route.Route {
	read := func(pattern, name string, handle route.Handler) route.Route {
		return route.Route{Method: "GET", Pattern: pattern, Name: name, Access: route.Optional, Handle: handle}
	}
	list := []route.Route{
		{Method: "GET", Pattern: base + "/me", Name: "me", Access: route.Required, Handle: s.handleMe},
		{Method: "GET", Pattern: base + "/projects", Name: "projects", Access: route.Required, Handle: s.handleProjects},
		{Method: "GET", Pattern: base + "/recent-builds", Name: "recent_builds", Access: route.Required, Handle: s.handleRecentBuilds},
		read(projectPath, "project_builds", s.handleProjectBuilds),
		read(projectPath+"/tree/{branch...}", "branch_builds", s.handleBranchBuilds),
		read(projectPath+"/{build_num}", "build", s.handleBuild),
		{Method: "GET", Pattern: projectPath + "/{build_num}/{resource...}", Name: "build_resource", Access: route.Optional, Streams: true, Handle: s.handleBuildResource},
	}
	return append(append(list, s.changeRoutes()...), s.furtherRoutes()...)
}

// change is a route that needs a credential.
func change(method, pattern, name string, handle route.Handler) route.Route {
	return route.Route{Method: method, Pattern: pattern, Name: name, Access: route.Required, MaxBody: maxBody, Handle: handle}
}

func (s *Service) changeRoutes() []route.Route {
	return []route.Route{
		change("POST", projectPath, "trigger_project", s.handleTriggerProject),
		change("POST", projectPath+"/build", "trigger_build", s.handleTriggerBuild),
		change("POST", projectPath+"/tree/{branch...}", "trigger_branch", s.handleTriggerBranch),
		change("POST", projectPath+"/{build_num}/{action...}", "build_action", s.handleBuildAction),
		change("POST", projectPath+"/follow", "follow", s.handleFollow),
		change("POST", projectPath+"/unfollow", "unfollow", s.handleUnfollow),
		change("POST", projectPath+"/enable", "enable", s.handleEnable),
		change("DELETE", projectPath+"/enable", "disable", s.handleDisable),
		change("POST", projectPath+"/checkout-key", "create_checkout_key", s.handleCreateCheckoutKey),
		change("GET", projectPath+"/checkout-key", "checkout_keys", s.handleCheckoutKeys),
		change("GET", projectPath+"/checkout-key/{fingerprint}", "checkout_key", s.handleCheckoutKey),
		change("DELETE", projectPath+"/checkout-key/{fingerprint}", "delete_checkout_key", s.handleDeleteCheckoutKey),
		change("POST", projectPath+"/ssh-key", "create_ssh_key", s.handleCreateSSHKey),
		change("DELETE", projectPath+"/ssh-key", "delete_ssh_key", s.handleDeleteSSHKey),
	}
}

// furtherRoutes are not in the contract.
func (s *Service) furtherRoutes() []route.Route {
	return []route.Route{
		change("GET", projectPath+"/envvar", "variables", s.handleVariables),
		change("POST", projectPath+"/envvar", "set_variable", s.handleSetVariable),
		change("GET", projectPath+"/envvar/{name}", "variable", s.handleVariable),
		change("PUT", projectPath+"/envvar/{name}", "replace_variable", s.handleReplaceVariable),
		change("DELETE", projectPath+"/envvar/{name}", "delete_variable", s.handleDeleteVariable),
		change("GET", projectPath+"/settings", "settings", s.handleSettings),
		change("PUT", projectPath+"/settings", "change_settings", s.handleChangeSettings),
		change("GET", projectPath+"/token", "tokens", s.handleTokens),
		change("POST", projectPath+"/token", "create_token", s.handleCreateToken),
		change("DELETE", projectPath+"/token/{id}", "delete_token", s.handleDeleteToken),
		change("DELETE", projectPath+"/build-cache", "delete_caches", s.handleDeleteCaches),
		change("POST", projectPath+"/hooks/{service}/test", "test_hook", s.handleTestHook),
		change("GET", projectPath+"/users", "followers", s.handleFollowers),
		{Method: "GET", Pattern: projectPath + "/status", Name: "status", Access: route.Optional, Handle: s.handleStatus},
		change("GET", base+"/user/repos", "user_repos", s.handleUserRepos),
		change("POST", base+"/user/follow-projects", "follow_projects", s.handleFollowProjects),
		change("PUT", base+"/user/save-preferences", "save_preferences", s.handleSavePreferences),
		change("POST", base+"/user/heroku-key", "retired_key", s.handleRetiredKey),
	}
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service:    Name,
		WriteError: s.writeError,
		Extract: route.FirstOf(
			route.Header(s.words.tokenHeaders...), route.Bearer(), route.BasicUser(), route.Query(s.words.tokenQueries...),
		),
		Authenticate: s.identity.Authenticator(Name),
		Gate:         s.gate,
		Timeout:      answerTime,
		Clock:        s.world.Clock,
		IDs:          s.world.IDs,
		Memory:       s.world.Memory,
		Requests:     s.world.Requests,
		Telemetry:    s.world.Telemetry,
	}
}

// handler serves the API and, below the words of the code hosts, the pages,
// each in an envelope of its own.
func (s *Service) handler(api, pages http.Handler) http.Handler {
	roof := route.NewHostMux(api)
	for _, prefix := range s.prefixes() {
		if strings.HasPrefix(prefix, base) {
			continue
		}
		roof.Prefix(prefix, pages)
	}
	return roof
}
